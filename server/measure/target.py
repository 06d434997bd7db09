"""Target: what a URL stands for, a run of Trickle's or a server that speaks OpenAI's dialect."""

import re
from dataclasses import dataclass

import httpx

from ..problem import cut
from .failure import Failure

_VERSIONED = re.compile(r"/v\d[^/]*(/|$)")  # /v1, but also /v1beta/openai
_ENDPOINTS = re.compile(r"/(chat/completions|models)$")
_SCENE = re.compile(r"/scenes/[^/]+$")
_HIGHEST_PORT = 65_535


@dataclass(frozen=True, slots=True)
class RunTarget:
    """A `/stream` with its query, which says everything about the run."""

    url: httpx.URL

    @property
    def lanes(self) -> int:
        """How many lanes it asks for; without one it gets the default lane."""
        return max(1, len(self.url.params.get_list("lane")))

    @property
    def shown(self) -> str:
        """Its URL without what nobody else may see."""
        return str(_public(self.url))


@dataclass(frozen=True, slots=True)
class OpenAITarget:
    """A base URL, or several that may be meant, the likeliest first."""

    bases: tuple[httpx.URL, ...]

    @property
    def shown(self) -> str:
        """Its URL without what nobody else may see; some servers take their key in the query."""
        return str(_public(self.bases[0]).copy_with(query=None))


def read_target(text: str) -> RunTarget | OpenAITarget:
    """Read a URL; http:// may be left out. Raises Failure."""
    url = _url(text)
    path = url.path.rstrip("/")
    if path.endswith("/stream"):
        return RunTarget(url)
    if "lane" in url.params:
        return RunTarget(_stream_of_page(url))
    base = _ENDPOINTS.sub("", path)
    paths = (base,) if _VERSIONED.search(base) else (f"{base}/v1", base)
    return OpenAITarget(tuple(url.copy_with(path=path or "/") for path in paths))


def below(base: httpx.URL, path: str) -> httpx.URL:
    """Return the URL of something below a base, which keeps its query."""
    return base.copy_with(path=base.path.rstrip("/") + path)


def _url(text: str) -> httpx.URL:
    try:
        url = httpx.URL(text.strip() if "://" in text else f"http://{text.strip()}").copy_with(fragment=None)
    except httpx.InvalidURL as exc:
        raise _bad_url(text, str(exc)) from None
    if url.scheme not in ("http", "https"):
        raise _bad_url(text, "it is neither http nor https")
    if not re.fullmatch(r"[^\s%]+", url.host):
        raise _bad_url(text, "it names no host")
    if url.port is not None and url.port > _HIGHEST_PORT:
        raise _bad_url(text, f"a port is at most {_HIGHEST_PORT}")
    return url


def _bad_url(text: str, reason: str) -> Failure:
    allowed = "such as http://127.0.0.1:8000/v1 or http://127.0.0.1:8000/stream?lane=tokens:100"
    return Failure("bad option", f'URL must be {allowed}, but was "{cut(text)}" ({reason})')


def _stream_of_page(url: httpx.URL) -> httpx.URL:
    """The address bar of the page holds a run too, at a scene as well, and may have gathered names of others."""
    run = [(name, value) for name, value in url.params.multi_items() if name in ("lane", "say")]
    return url.copy_with(path=_SCENE.sub("", url.path.rstrip("/")) + "/stream", params=run)


def _public(url: httpx.URL) -> httpx.URL:
    return url.copy_with(username=None, password=None)

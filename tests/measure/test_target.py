"""What a URL stands for."""

import httpx
import pytest

from server.measure.failure import Failure
from server.measure.target import OpenAITarget, RunTarget, below, read_target
from server.problem import cut


@pytest.mark.parametrize(
    ("url", "asked", "lanes"),
    [
        ("http://a/stream", "http://a/stream", 1),
        ("http://a/b/stream?lane=tokens:3&lane=tokens:4", "http://a/b/stream?lane=tokens:3&lane=tokens:4", 2),
        ("a:8000/stream?lane=tokens:3#end", "http://a:8000/stream?lane=tokens:3", 1),
        # the page's address, which may have gathered names that are none of the run's
        ("https://a/?lane=tokens:3&say=Hi&utm=x", "https://a/stream?lane=tokens%3A3&say=Hi", 1),
        ("https://a/demo/?lane=tokens:3", "https://a/demo/stream?lane=tokens%3A3", 1),
        ("https://a/demo/scenes/the-loop?lane=tokens:3", "https://a/demo/stream?lane=tokens%3A3", 1),
    ],
)
def test_a_stream_or_a_link_to_the_page_is_a_run(url: str, asked: str, lanes: int) -> None:
    target = read_target(url)
    assert isinstance(target, RunTarget)
    assert str(target.url) == asked
    assert target.lanes == lanes


@pytest.mark.parametrize(
    ("url", "bases"),
    [
        ("http://a", ["http://a/v1", "http://a/"]),
        ("a:8000/", ["http://a:8000/v1", "http://a:8000/"]),
        ("https://a/v1", ["https://a/v1"]),
        ("https://a/v1/", ["https://a/v1"]),
        ("https://a/v1/chat/completions", ["https://a/v1"]),
        ("https://a/v1/models", ["https://a/v1"]),
        ("https://a/v1beta/openai/", ["https://a/v1beta/openai"]),
        ("https://a/api", ["https://a/api/v1", "https://a/api"]),
        ("https://a/v1?api-version=1", ["https://a/v1?api-version=1"]),
    ],
)
def test_anything_else_is_a_base_of_openais(url: str, bases: list[str]) -> None:
    target = read_target(url)
    assert isinstance(target, OpenAITarget)
    assert [str(base) for base in target.bases] == bases


def test_what_is_below_a_base_keeps_its_query() -> None:
    assert str(below(httpx.URL("http://a/v1/?key=1"), "/models")) == "http://a/v1/models?key=1"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://me:secret@a/v1?key=secret", "http://a/v1"),
        ("http://me:secret@a/stream?lane=tokens:3", "http://a/stream?lane=tokens:3"),
    ],
)
def test_what_is_shown_has_no_secret(url: str, shown: str) -> None:
    assert read_target(url).shown == shown


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", "it names no host"),
        ("http://", "it names no host"),
        ("http://a b/", "it names no host"),
        ("http://a/\x00", "Invalid non-printable ASCII character"),
        ("ftp://a/v1", "it is neither http nor https"),
        ("http://a:65536", "a port is at most 65535"),
        ("http://a:port/", "Invalid port: 'port'"),
        ("http://%41/", "it names no host"),
    ],
)
def test_a_bad_url_is_refused_with_the_reason(url: str, reason: str) -> None:
    with pytest.raises(Failure) as failure:
        read_target(url)
    assert failure.value.kind == "bad option"
    assert f'but was "{cut(url)}" ({reason}' in failure.value.reason

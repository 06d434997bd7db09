"""Which of a server's models is asked, and whether the server is a Trickle, which then tells its schedule."""

from dataclasses import dataclass
from typing import Any

import httpx

from ..problem import cut
from .failure import Failure
from .target import OpenAITarget, below
from .wire import Wire

_TRICKLE = "trickle"
_MOST_TOLD = 20
_WANTS_A_KEY = (401, 403)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model answers."""

    base: httpx.URL
    model: str
    is_trickle: bool = False


async def find_endpoint(wire: Wire, target: OpenAITarget, model: str | None) -> Endpoint:
    """Find where the models are listed, and the one that is meant. Raises Failure."""
    told = []
    for base in target.bases:
        url = below(base, "/models")
        status, content, reason = await wire.json(url)
        listed = _listed(content) if status == 200 else None
        if listed is not None:
            is_trickle = any(entry.get("owned_by") == _TRICKLE for entry in listed)
            return Endpoint(base, model or _only(listed, is_trickle), is_trickle)
        if status in _WANTS_A_KEY:
            raise Failure("refused", f"{reason} (the key is taken from OPENAI_API_KEY)")
        told.append(f"{url.path}: {'not a list of models' if status == 200 else reason}")
    if model:  # some servers list none
        return Endpoint(target.bases[0], model)
    reason = f"it doesn't say which models it has ({'; '.join(told)}); --model says which one is meant"
    raise Failure("refused", reason)


def _listed(content: Any) -> list[dict[str, Any]] | None:
    entries = content.get("data") if isinstance(content, dict) else None
    if not isinstance(entries, list):
        return None
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("id"), str)]


def _only(listed: list[dict[str, Any]], is_trickle: bool) -> str:
    names = [entry["id"] for entry in listed]
    if is_trickle and _TRICKLE in names:
        return _TRICKLE
    if len(names) != 1:
        told = ", ".join(map(cut, names[:_MOST_TOLD])) + (", …" if len(names) > _MOST_TOLD else "")
        raise Failure("bad option", f"--model must be one of {told}" if names else "the server has no model")
    return str(names[0])

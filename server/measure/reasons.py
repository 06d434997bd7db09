"""Reasons: why something went wrong, in the words of the server or of the system where these have some."""

import json
import os
from typing import Any

import httpx


def of_refusal(response: httpx.Response, told: bytes) -> str:
    """Say an answer with a wrong status, of which `told` is what was read of its body."""
    if "location" in response.headers:
        said = f"it redirects to {response.headers['location']}"
    elif (content := parsed(told)) is not None:
        said = in_json(content)
    elif content_type(response) == "text/plain":
        said = told.decode(errors="replace")
    else:
        said = response.reason_phrase
    return f"status {response.status_code}" + (f": {said}" if said.strip() else "")


def in_json(content: Any) -> str:
    """Find the reason where problem documents, OpenAI's error objects and FastAPI have it."""
    if isinstance(content, dict):
        for name in ("detail", "error", "message", "title"):
            if content.get(name):
                return in_json(content[name])
    return content if isinstance(content, str) else json.dumps(content)


def of_system(exc: BaseException) -> str:
    """Return the innermost reason that the system gives: that of httpx is "All connection attempts failed"."""
    why, inner = str(exc) or type(exc).__name__, exc.__cause__ or exc.__context__
    while inner:
        if isinstance(inner, BaseExceptionGroup):
            inner = inner.exceptions[0]
        if isinstance(inner, OSError) and inner.errno:
            # asyncio's own words have an address in them; those of TLS and of the resolver are good.
            why = os.strerror(inner.errno) if isinstance(inner, ConnectionError) else str(inner.strerror)
        inner = inner.__cause__ or inner.__context__
    return why


def content_type(response: httpx.Response) -> str:
    """Return what a body is said to be, without parameters."""
    kind: str = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    return kind or "something without a type"


def parsed(told: bytes) -> Any:
    """Read JSON; None where it is none."""
    try:
        return json.loads(told)
    except (ValueError, RecursionError):
        return None

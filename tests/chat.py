"""Asks the app in OpenAI's dialect, and takes its chunks apart."""

import json
from typing import Any

from starlette.applications import Starlette

from tests.asgi import Answer, ask

CHAT, TEXT = "/v1/chat/completions", "/v1/completions"
PATHS = (CHAT, TEXT)
HELLO = [{"role": "user", "content": "Hello"}]


async def post(app: Starlette, path: str = CHAT, how: dict[str, Any] | None = None, **parameters: Any) -> Answer:
    """Post parameters; `how` goes to `ask`. What is not given is the shortest that is allowed."""
    asked = {"model": "trickle", **({"messages": HELLO} if path == CHAT else {}), **parameters}
    return await ask(app, path, method="POST", body=json.dumps(asked).encode(), **(how or {}))


def chunks(answer: Answer) -> list[tuple[float, dict[str, Any]]]:
    """Each chunk with the time of its message, without what ends them."""
    assert answer.status == 200, answer.body
    return [(ms, event.json) for ms, event in answer.events if event.data != "[DONE]"]


def said(chunk: dict[str, Any]) -> str | None:
    """The text of a chunk of either kind; None where it has no choice."""
    if not chunk["choices"]:
        return None
    (choice,) = chunk["choices"]
    return str(choice["delta"]["content"] if "delta" in choice else choice["text"])


def text_of(answer: Answer) -> str:
    """The text of an answer, streamed or whole, of either kind."""
    if answer.headers["content-type"].startswith("text/event-stream"):
        return "".join(said(chunk) or "" for _, chunk in chunks(answer))
    (choice,) = answer.json()["choices"]
    return str(choice["message"]["content"] if "message" in choice else choice["text"])


def finish_of(answer: Answer) -> str | None:
    """The reason that an answer gives for its end."""
    if answer.headers["content-type"].startswith("text/event-stream"):
        reasons = [choice["finish_reason"] for _, chunk in chunks(answer) for choice in chunk["choices"]]
        assert all(reason is None for reason in reasons[:-1])
        return reasons[-1] if reasons else None
    return str(answer.json()["choices"][0]["finish_reason"])


def error_of(answer: Answer, status: int = 400) -> dict[str, Any]:
    """Check that this is an error as OpenAI has it, before any event; return what is in it."""
    assert answer.status == status, answer.body
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    error: dict[str, Any] = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["message"]
    return error

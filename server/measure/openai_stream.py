"""Receives a chat completion in OpenAI's dialect. A token is a chunk with text, be it answer or reasoning.

A chunk with the role alone, with counts or with nothing is none. Where a chunk holds several of the model's
tokens, the counts at the end say how many there were.
"""

from typing import Any

from httpx_sse import ServerSentEvent
from pydantic import BaseModel, Field, ValidationError

from . import reasons
from .answer import Answer, Attempt, Token
from .failure import Failure
from .openai_models import Endpoint
from .target import below
from .wire import Ms, Refusal, Wire

_DONE = "[DONE]"
_UNKNOWN_FIELD = (400, 422)


class _Delta(BaseModel):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None  # the same, as newer servers call it


class _Choice(BaseModel):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(BaseModel):
    completion_tokens: int | None = Field(None, ge=0, le=1_000_000_000)


class _Chunk(BaseModel):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    error: Any = None
    due_ms: Ms | None = None
    sent_ms: Ms | None = None


class OpenAIStream:
    """A model with its prompt, to be asked again and again."""

    lanes = 1

    def __init__(self, wire: Wire, endpoint: Endpoint, prompt: str) -> None:
        self._wire, self._endpoint, self._prompt = wire, endpoint, prompt
        self._asks_for_counts = True

    async def receive(self, attempt: Attempt) -> None:
        """Fill in what comes. Raises Failure."""
        asked_for_counts = self._asks_for_counts
        try:
            await self._receive(attempt, asked_for_counts)
        except Refusal as refusal:
            if refusal.status not in _UNKNOWN_FIELD or not asked_for_counts:
                raise
            await self._receive(attempt, False)  # some servers know no such field
            self._asks_for_counts = False

    async def _receive(self, attempt: Attempt, asks_for_counts: bool) -> None:
        (answer,) = attempt.answers

        def take(arrival_us: int, event: ServerSentEvent) -> bool:
            if event.data == _DONE:
                _finish(answer)
                return True
            try:
                chunk = _Chunk.model_validate_json(event.data)
            except ValidationError:
                reason = f"a chunk is not one of OpenAI's: {self._wire.shown(event.data)}"
                raise Failure("not a stream", reason) from None
            if chunk.error:
                raise Failure("failed", self._wire.shown(reasons.in_json(chunk.error)))
            _take(answer, arrival_us, chunk)
            return False

        url = below(self._endpoint.base, "/chat/completions")
        await self._wire.events(self._wire.request("POST", url, self._body(asks_for_counts)), take)

    def _body(self, asks_for_counts: bool) -> dict[str, Any]:
        """Return what is asked. Strict servers refuse fields they don't know, so only Trickle gets its own."""
        return {
            "model": self._endpoint.model,
            "messages": [{"role": "user", "content": self._prompt}],
            "stream": True,
            **({"stream_options": {"include_usage": True}} if asks_for_counts else {}),
            **({"trickle": True} if self._endpoint.is_trickle else {}),
        }


def _take(answer: Answer, arrival_us: int, chunk: _Chunk) -> None:
    if chunk.usage and chunk.usage.completion_tokens:
        answer.counted = chunk.usage.completion_tokens
    for choice in (chunk.choices or [])[:1]:
        delta = choice.delta or _Delta()
        if text := delta.content or delta.reasoning_content or delta.reasoning:
            answer.tokens.append(Token(text, arrival_us, _us(chunk.due_ms), _us(chunk.sent_ms)))
        if choice.finish_reason:
            _finish(answer)


def _finish(answer: Answer) -> None:
    """Some servers say that they are done, some only why, and some both."""
    if not answer.tokens:
        raise Failure("failed", "the answer ended without any text")
    answer.is_whole = True


def _us(ms: float | None) -> int | None:
    return None if ms is None else round(ms * 1000)

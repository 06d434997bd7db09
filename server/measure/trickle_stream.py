"""Receives a run of Trickle's: start · token · finish · failed · interrupted · done, of all its lanes.

A run that was broken off is not resumed: what comes then is another thing than what is measured here.
"""

from typing import Annotated

from httpx_sse import ServerSentEvent
from pydantic import BaseModel, Field, ValidationError

from .answer import Attempt, Token
from .failure import Failure
from .target import RunTarget
from .wire import Ms, Wire

_Lane = Annotated[int, Field(ge=0)]


class _LaneSettings(BaseModel):
    title: str = ""


class _Start(BaseModel):
    lanes: list[_LaneSettings]


class _Token(BaseModel):
    lane: _Lane
    text: str = Field(min_length=1)
    due_ms: Ms
    sent_ms: Ms


class _End(BaseModel):
    lane: _Lane
    reason: str


class _Interrupted(BaseModel):
    reason: str


class TrickleStream:
    """A run, to be asked for again and again."""

    def __init__(self, wire: Wire, target: RunTarget) -> None:
        self._wire, self._target = wire, target
        self.lanes = target.lanes

    async def receive(self, attempt: Attempt) -> None:
        """Fill in what comes. Raises Failure."""

        def take(arrival_us: int, event: ServerSentEvent) -> bool:
            try:
                return self._take(attempt, arrival_us, event)
            except (ValidationError, IndexError):
                reason = f"an event {self._wire.shown(event.event)!r} is not one of Trickle's"
                raise Failure("not a stream", reason) from None

        await self._wire.events(self._wire.request("GET", self._target.url), take)

    def _take(self, attempt: Attempt, arrival_us: int, event: ServerSentEvent) -> bool:
        match event.event:
            case "token":
                token = _Token.model_validate_json(event.data)
                due_us, sent_us = round(token.due_ms * 1000), round(token.sent_ms * 1000)
                attempt.answers[token.lane].tokens.append(Token(token.text, arrival_us, due_us, sent_us))
            case "start":
                lanes = _Start.model_validate_json(event.data).lanes
                for answer, lane in zip(attempt.answers, lanes, strict=False):
                    answer.title = lane.title
            case "finish" | "failed" as name:
                end = _End.model_validate_json(event.data)
                answer = attempt.answers[end.lane]
                answer.is_whole = name == "finish"
                answer.failure = None if answer.is_whole else Failure("failed", self._wire.shown(end.reason))
            case "interrupted":
                reason = self._wire.shown(_Interrupted.model_validate_json(event.data).reason)
                raise Failure("cut", f"the server interrupted it ({reason})")
        return event.event == "done"

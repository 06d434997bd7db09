"""A run of a single lane, for answers that have no events: token by token, or waited for as a whole."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..latency.pacing import RunClock, pace
from ..latency.run import Run
from ..latency.schedule import Step
from .open_stream import OpenStream
from .runs import how_it_ends, started
from .state import state_of


async def tokens(
    run: Run, opened: OpenStream, clock: RunClock, stop: anyio.Event
) -> AsyncGenerator[tuple[list[Step], int], None]:
    """Yield the lane's tokens as they fall due, with the time they were released (µs since the start).

    Afterwards `opened.ended` says how it ended; a cut is an end, because this can't be resumed. It stays "" where
    the server stops before.
    """
    spec = run.specs[0]
    async with aclosing(pace(run.schedule.steps(), clock, stop)) as paced:
        async for steps, sent_us in paced:
            opened.late_us = max(opened.late_us, clock.late_us(steps[0].due_us, sent_us))
            due = [step for step in steps if not step.is_end and (spec.cut_at is None or step.i < spec.cut_at)]
            if due:
                opened.tokens = due[-1].i + 1
                yield due, sent_us
            if opened.tokens == spec.cut_at:
                opened.ended = "cut"
                return
            if steps[-1].is_end:
                opened.ended = how_it_ends(run)


async def whole(request: Request, run: Run, opened: OpenStream) -> int:
    """Wait until the lane is over, and return when that was (µs since the start).

    Raises HTTPException where no whole answer comes of it.
    """
    outcome: int | HTTPException = HTTPException(503, "The client has left.")  # who is gone can't see it
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_when_gone, request, group.cancel_scope)
        outcome = await _outcome(run, opened, started(request), state_of(request).stopping)
        group.cancel_scope.cancel()
    if isinstance(outcome, HTTPException):
        raise outcome
    return outcome


async def _outcome(run: Run, opened: OpenStream, clock: RunClock, stop: anyio.Event) -> int | HTTPException:
    spec = run.specs[0]
    async with aclosing(pace(run.schedule.steps(), clock, stop)) as paced:
        async for steps, sent_us in paced:
            if any(step.i + 1 == spec.cut_at and not step.is_end for step in steps):
                opened.ended = "cut"
                return HTTPException(502, f"The connection broke after {spec.cut_at:,} tokens, as asked.")
            if not steps[-1].is_end:
                continue
            opened.ended = how_it_ends(run)
            if spec.fail_at is not None:
                why = spec.failure(spec.fail_at)
                return HTTPException(502, f"{why[0].upper()}{why[1:]}.")
            opened.tokens, opened.late_us = steps[-1].i, clock.late_us(steps[-1].due_us, sent_us)
            return sent_us
    return HTTPException(503, "The server is shutting down.", headers={"Retry-After": "1"})


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()

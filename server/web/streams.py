"""/stream (SSE), /plan, /answer (whole) and /plain (for curl): parse, build the run, respond."""

import json
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..latency.pacing import RunClock, pace
from ..latency.run import Run
from . import events, one_lane
from .open_stream import OpenStream, open_stream
from .query import Query, only_lane, read_query
from .runs import how_it_ends, planned, started
from .sending import HEADERS, streamed
from .state import state_of

_PLAN_HEADERS = {"Cache-Control": "max-age=300"}  # the same URL gives the same plan; an update is seen soon
_KEEP_ALIVE_S = 15
_TIMES_A_SLICE = 5_000  # due times written in one go, about 2 ms


async def stream(request: Request) -> Response:
    """Send all lanes of a run as server-sent events, from its start or from where an id says."""
    run = await planned(request, await _query(request, also=frozenset({"last_event_id"})))
    last_id = request.headers.get("last-event-id", request.query_params.get("last_event_id"))
    if last_id is not None and events.is_end(last_id):
        return Response(status_code=204, headers=HEADERS)
    resumed = None if last_id is None else events.read_id(last_id, run)
    if resumed is None:
        before, clock = 0, started(request)
    else:
        before = resumed.delivered
        clock = RunClock.resume(resumed.started_at_us, state_of(request).now_us(), run.schedule, before)
    opened = open_stream(request, len(run.specs))
    content = _events(run, before, clock, opened, state_of(request).stopping)
    return streamed(request, content, keep_alive_s=_KEEP_ALIVE_S)


async def plan(request: Request) -> Response:
    """Send the plan of a run: every lane's settings as understood, and when each token is due."""
    run = await planned(request, await _query(request))
    lanes = [
        json.dumps(described)[:-1] + ', "due_ms": [' + await _milliseconds(lane.due_us) + "]}"
        for described, lane in zip(events.described(run), run.schedule.lanes, strict=True)
    ]
    body = f'{{"lanes": [{", ".join(lanes)}]}}'
    may_change = any(spec.recorded for spec in run.specs)
    return Response(body, headers=HEADERS if may_change else _PLAN_HEADERS, media_type="application/json")


async def answer(request: Request) -> Response:
    """Send one lane's whole answer as JSON, when its last token is due: what a user gets without streaming."""
    run = await planned(request, only_lane(await _query(request)))
    opened = open_stream(request, lanes=1)
    if request.method == "HEAD":
        return Response(headers=HEADERS, media_type="application/json")
    sent_us = await one_lane.whole(request, run, opened)
    content = {"lane": events.described(run)[0], "text": "".join(run.texts[0]), "sent_ms": sent_us / 1000}
    return JSONResponse(content, headers=HEADERS)


async def plain(request: Request) -> Response:
    """Trickle one lane's answer as plain text, to watch with `curl -N`."""
    run = await planned(request, only_lane(await _query(request)))
    opened = open_stream(request, lanes=1)
    return streamed(request, _text(run, opened, started(request), state_of(request).stopping), "text/plain")


async def _query(request: Request, also: frozenset[str] = frozenset()) -> Query:
    """Read what a request asks for; its lanes may name what the server offers. Raises BadQuery."""
    shelf = await state_of(request).library.current()
    return read_query(request.query_params, shelf.offered, also=also)


async def _events(
    run: Run, before: int, clock: RunClock, opened: OpenStream, stop: anyio.Event
) -> AsyncGenerator[bytes, None]:
    """Yield a run's events after the first `before` tokens.

    Those that are due together come in one piece, so that they go out in one write.
    """
    delivered = before
    yield events.start(run, clock.started_at_us, delivered, retry_ms=random.randint(2_000, 5_000))
    lanes_left = len(run.specs)
    sent_us = 0
    async with aclosing(pace(run.schedule.steps(delivered), clock, stop)) as paced:
        async for steps, sent_us in paced:
            due = bytearray()
            opened.late_us = max(opened.late_us, clock.late_us(steps[0].due_us, sent_us))
            for step in steps:
                if step.is_end:
                    due += events.end(step, run.specs[step.lane])
                    lanes_left -= 1
                    continue
                delivered += 1
                text = run.texts[step.lane][step.i]
                due += events.token(step, text, clock.started_at_us, delivered, sent_us)
                if run.specs[step.lane].cut_at == step.i + 1:
                    opened.ended = "cut"
                    break
            opened.tokens = delivered - before
            yield bytes(due)
            if opened.ended:
                return  # nothing says why: that is what a broken connection is like
    if lanes_left:
        yield events.interrupted("shutdown")
    else:
        await anyio.lowlevel.checkpoint()  # of many that end together, the last tokens go before the goodbyes
        yield events.done(clock.started_at_us, sent_us)
        opened.ended = how_it_ends(run)


async def _text(
    run: Run, opened: OpenStream, clock: RunClock, stop: anyio.Event
) -> AsyncGenerator[bytes, None]:
    """Yield the text of a run's only lane; nothing says that it was cut, as on a broken connection."""
    async with aclosing(one_lane.tokens(run, opened, clock, stop)) as paced:
        async for steps, _ in paced:
            yield "".join(run.texts[0][step.i] for step in steps).encode("utf-8", "replace")
    if opened.ended == "finished":
        yield b"\n"
    elif opened.ended == "failed":
        yield f"\n[{run.specs[0].failure(opened.tokens)}]\n".encode()
    elif not opened.ended:
        yield b"\n[the server is shutting down]\n"


async def _milliseconds(times_us: tuple[int, ...]) -> str:
    """Write times as JSON numbers, and let the streams beside it run between two slices."""
    slices = []
    for start in range(0, len(times_us), _TIMES_A_SLICE):
        slices.append(", ".join([str(time / 1000) for time in times_us[start : start + _TIMES_A_SLICE]]))
        await anyio.lowlevel.checkpoint()
    return ", ".join(slices)

"""/stream (SSE), /plan, /answer (whole) and /plain (for curl): parse, build the run, respond."""

import json
import random
from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ..latency.pacing import RunClock, pace
from ..latency.run import Run
from ..problem import Problem
from . import events
from .open_stream import OpenStream, open_stream
from .problems import BadQuery, problem_response
from .query import Query, one_lane, read_query
from .state import AppState, state_of

_STREAM_HEADERS = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
_PLAN_HEADERS = {"Cache-Control": "max-age=300"}  # the same URL gives the same plan; an update is seen soon
_KEEP_ALIVE_S = 15
_SEND_TIMEOUT_S = 15  # our launcher drops who stops reading after 10 s, this is for any other server
_GRACE_S = 1.5  # streams end by themselves when the server does; one that hasn't by then is cancelled
_TIMES_A_SLICE = 5_000  # due times written in one go, about 2 ms


async def stream(request: Request) -> Response:
    """Send all lanes of a run as server-sent events, from its start or from where an id says."""
    run = await _run(request, await _query(request, also=frozenset({"last_event_id"})))
    last_id = request.headers.get("last-event-id", request.query_params.get("last_event_id"))
    if last_id is not None and events.is_end(last_id):
        return Response(status_code=204, headers=_STREAM_HEADERS)
    resumed = None if last_id is None else events.read_id(last_id, run)
    opened = open_stream(request, len(run.specs))
    return _streamed(request, _events(run, resumed, opened, state_of(request)), "text/event-stream", _KEEP_ALIVE_S)


async def plan(request: Request) -> Response:
    """Send the plan of a run: every lane's settings as understood, and when each token is due."""
    run = await _run(request, await _query(request))
    lanes = [
        json.dumps(described)[:-1] + ', "due_ms": [' + await _milliseconds(lane.due_us) + "]}"
        for described, lane in zip(events.described(run), run.schedule.lanes, strict=True)
    ]
    body = f'{{"lanes": [{", ".join(lanes)}]}}'
    return Response(body, headers=_PLAN_HEADERS, media_type="application/json")


async def answer(request: Request) -> Response:
    """Send one lane's whole answer as JSON, when its last token is due: what a user gets without streaming."""
    run = await _run(request, one_lane(await _query(request)))
    opened = open_stream(request, lanes=1)
    if request.method == "HEAD":
        return Response(headers=_STREAM_HEADERS, media_type="application/json")
    response = problem_response(503, "The client has left.")  # who is gone can't see it
    async with anyio.create_task_group() as group:
        group.start_soon(_cancel_when_gone, request, group.cancel_scope)
        response = await _whole(run, opened, state_of(request))
        group.cancel_scope.cancel()
    return response


async def plain(request: Request) -> Response:
    """Trickle one lane's answer as plain text, to watch with `curl -N`."""
    run = await _run(request, one_lane(await _query(request)))
    opened = open_stream(request, lanes=1)
    return _streamed(request, _text(run, opened, state_of(request)), "text/plain", keep_alive_s=0)


async def _query(request: Request, also: frozenset[str] = frozenset()) -> Query:
    """Read what a request asks for; its lanes may name the texts of decks. Raises BadQuery."""
    shelf = await state_of(request).library.current()
    return read_query(request.query_params, shelf.texts, also=also)


async def _run(request: Request, query: Query) -> Run:
    """Plan the run that a query asks for. Raises BadQuery where it would last too long."""
    state = state_of(request)
    run = await state.planner.run(query.specs, query.say, query.deck_texts)
    longest_ms = state.settings.max_run_s * 1000
    problems = [
        Problem("predicted_ms", f"{lane.end_us / 1000:,}", f"at most {longest_ms:,}", number)
        for number, lane in enumerate(run.schedule.lanes)
        if lane.end_us > longest_ms * 1000
    ]
    if problems:
        raise BadQuery(problems)
    return run


def _streamed(
    request: Request, content: AsyncGenerator[bytes, None], media_type: str, keep_alive_s: int
) -> EventSourceResponse:
    """Leave keep-alives, disconnects, slow readers, HEAD and the end of the server to the library."""
    return EventSourceResponse(
        content,
        headers=_STREAM_HEADERS,
        media_type=media_type,
        ping=keep_alive_s,
        sep="\n",
        send_timeout=_SEND_TIMEOUT_S,
        shutdown_event=state_of(request).stopping,
        shutdown_grace_period=_GRACE_S,
    )


async def _events(
    run: Run, resumed: events.ResumeId | None, opened: OpenStream, state: AppState
) -> AsyncGenerator[bytes, None]:
    """Yield a run's events; those that are due together in one piece, so that they go out in one write."""
    now_us = state.now_us()
    if resumed is None:
        before, clock = 0, RunClock.start(now_us)
    else:
        before = resumed.delivered
        clock = RunClock.resume(resumed.started_at_us, now_us, run.schedule, before)
    delivered = before
    yield events.start(run, clock.started_at_us, delivered, retry_ms=random.randint(2_000, 5_000))
    lanes_left = len(run.specs)
    sent_us = 0
    async with aclosing(pace(run.schedule.steps(delivered), clock, state.stopping)) as paced:
        async for steps, sent_us in paced:
            due = bytearray()
            opened.late_us = max(opened.late_us, clock.late_us(steps[0].due_us, sent_us))
            for step in steps:
                if step.is_end:
                    due += events.end(step, run.specs[step.lane].fail_at)
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
        yield events.done(clock.started_at_us, sent_us)
        opened.ended = _ended(run)


async def _text(run: Run, opened: OpenStream, state: AppState) -> AsyncGenerator[bytes, None]:
    """Yield the text of a run's only lane. Plain text can't be resumed, so a cut ends it."""
    spec, (texts,), clock = run.specs[0], run.texts, RunClock.start(state.now_us())
    async with aclosing(pace(run.schedule.steps(), clock, state.stopping)) as paced:
        async for steps, sent_us in paced:
            opened.late_us = max(opened.late_us, clock.late_us(steps[0].due_us, sent_us))
            for step in steps:
                if step.is_end:
                    fails = run.schedule.lanes[0].fails
                    yield f"\n[the model failed after {step.i:,} tokens]\n".encode() if fails else b"\n"
                    opened.ended = _ended(run)
                    return
                opened.tokens = step.i + 1
                yield texts[step.i].encode("utf-8", "replace")
                if spec.cut_at == step.i + 1:
                    opened.ended = "cut"
                    return
    yield b"\n[the server is shutting down]\n"


async def _whole(run: Run, opened: OpenStream, state: AppState) -> Response:
    """Wait until the only lane is over, then build its answer."""
    spec, clock = run.specs[0], RunClock.start(state.now_us())
    async with aclosing(pace(run.schedule.steps(), clock, state.stopping)) as paced:
        async for steps, sent_us in paced:
            if any(step.i + 1 == spec.cut_at and not step.is_end for step in steps):
                opened.ended = "cut"
                return problem_response(502, f"The connection broke after {spec.cut_at:,} tokens, as asked.")
            if not steps[-1].is_end:
                continue
            opened.ended = _ended(run)
            if spec.fail_at is not None:
                return problem_response(502, f"The model failed after {spec.fail_at:,} tokens.")
            opened.tokens, opened.late_us = steps[-1].i, clock.late_us(steps[-1].due_us, sent_us)
            content = {"lane": events.described(run)[0], "text": "".join(run.texts[0]), "sent_ms": sent_us / 1000}
            return JSONResponse(content, headers=_STREAM_HEADERS)
    return problem_response(503, "The server is shutting down.", headers={"Retry-After": "1"})


def _ended(run: Run) -> str:
    """Return how a run ends that is sent to its end: the model may fail in any lane of it."""
    return "failed" if any(lane.fails for lane in run.schedule.lanes) else "finished"


async def _cancel_when_gone(request: Request, scope: anyio.CancelScope) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


async def _milliseconds(times_us: tuple[int, ...]) -> str:
    """Write times as JSON numbers, and let the streams beside it run between two slices."""
    slices = []
    for start in range(0, len(times_us), _TIMES_A_SLICE):
        slices.append(", ".join([str(time / 1000) for time in times_us[start : start + _TIMES_A_SLICE]]))
        await anyio.lowlevel.checkpoint()
    return ", ".join(slices)

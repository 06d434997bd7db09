"""Servers to compare Trickle with, each in its own process: `python -m benchmarks.servers NAME`.

All run in uvicorn as Trickle does (asyncio's loop, h11, no access log); the floor stands in `benchmarks.floor`.
They understand `tokens` and `delay_ms` of one lane.
"""

import asyncio
import functools
import json
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager
from decimal import Decimal
from typing import Any

import anyio
import click
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from server import launch
from server.descriptors import make_room
from server.latency.pacing import RunClock, pace
from server.latency.run import Run
from server.latency.schedule import plan
from server.latency.spec import LaneSpec
from server.latency.tokens import built_in, tokens_of
from server.settings import Settings
from server.web import events
from server.web.sending import HEADERS
from server.web.state import wall_clock_us
from tests.process import Server, serving

OURS, NAIVE, STREAMING, LIBRARY, FLOOR = NAMES = (
    "Trickle",
    "naive",
    "StreamingResponse",
    "sse-starlette",
    "floor",
)
MAX_STREAMS = 2_000  # more than any case has, so that none is refused


def read(request: Request) -> LaneSpec:
    """Read n and t."""
    pairs = dict(pair.split(":") for pair in request.query_params["lane"].split(","))
    return LaneSpec(tokens=int(pairs["tokens"]), delay_ms=Decimal(pairs["delay_ms"]))


async def naive(request: Request) -> Response:
    """Sleep after each token, and make each event of a dictionary: what most tutorials do."""
    return EventSourceResponse(_naive_events(read(request)))


async def _naive_events(spec: LaneSpec) -> AsyncIterator[dict[str, str]]:
    began = time.monotonic()
    delay_ms = float(spec.delay_ms)
    for i, text in enumerate(tokens_of(built_in(spec.text), spec.tokens)):
        await asyncio.sleep(delay_ms / 1000)
        sent_ms = round((time.monotonic() - began) * 1000, 3)
        data = {"lane": 0, "i": i, "text": text, "due_ms": round((i + 1) * delay_ms, 3), "sent_ms": sent_ms}
        yield {"event": "token", "id": str(i + 1), "data": json.dumps(data)}
    yield {"event": "done", "data": "{}"}


async def streaming(request: Request) -> Response:
    """Send our events at our pace through Starlette's own StreamingResponse: Trickle without sse-starlette."""
    return StreamingResponse(_paced_events(read(request)), headers=HEADERS, media_type="text/event-stream")


async def library(request: Request) -> Response:
    """Send our events at our pace through sse-starlette as it comes: Trickle without what it keeps of a stream."""
    return EventSourceResponse(_paced_events(read(request)))


async def _paced_events(spec: LaneSpec) -> AsyncIterator[bytes]:
    run = _run(spec)
    clock = RunClock.start(wall_clock_us())
    yield events.start(run, clock.started_at_us, 0, retry_ms=3_000)
    delivered = sent_us = 0
    async for steps, sent_us in pace(run.schedule.steps(), clock, anyio.Event()):
        due = bytearray()
        for step in steps:
            if step.is_end:
                due += events.end(step, spec)
                continue
            delivered += 1
            due += events.token(step, run.texts[0][step.i], clock.started_at_us, delivered, sent_us)
        yield bytes(due)
    yield events.done(clock.started_at_us, sent_us)


@functools.lru_cache
def _run(spec: LaneSpec) -> Run:
    return Run((spec,), plan([spec]), (tokens_of(built_in(spec.text), spec.tokens),))


ENDPOINTS: dict[str, Callable[[Request], Any]] = {NAIVE: naive, STREAMING: streaming, LIBRARY: library}


def app(name: str) -> Starlette:
    """Make a reference's app."""
    return Starlette(routes=[Route("/stream", ENDPOINTS[name])])


def started(name: str, workers: int = 1) -> AbstractContextManager[Server]:
    """Start one of all; the floor has one worker."""
    if name == OURS:
        return serving("serve", "--workers", str(workers), "--max-streams", str(MAX_STREAMS))
    if name == FLOOR:
        return serving(command=(sys.executable, "-m", "benchmarks.floor"))
    return serving(name, "--workers", str(workers), command=(sys.executable, "-m", "benchmarks.servers"))


@click.command()
@click.argument("name", type=click.Choice(list(ENDPOINTS)))
@click.option("--workers", type=int, default=1)
@click.option("--port", type=int, default=0)
def main(name: str, workers: int, port: int) -> None:
    """Serve one of the references."""
    make_room(MAX_STREAMS)
    settings = Settings(port=port, workers=workers)
    config = launch.uvicorn_config(settings)
    config.app, config.http = functools.partial(app, name), "h11"
    launch.serve(config, launch.bind(settings), functools.partial(print, flush=True))


if __name__ == "__main__":
    main()

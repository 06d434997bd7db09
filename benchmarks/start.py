"""How long it takes from starting the process to the first page, beside a bare app with one page."""

import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from statistics import median

from benchmarks.figures import aims, figure
from benchmarks.report import Section, Spread, Table
from tests.process import Server, serving

ROUNDS, QUICK_ROUNDS = 9, 3
LIMIT = 1.5
HOW = """\
From starting the process until the whole page at `/` is here, in turn; *bare* is uvicorn and Starlette with one
page and no template. Python's own caches are warm."""


def measure(quick: bool) -> Section:
    """Measure how long a start takes."""
    rounds = [(first_page_ms(serving), first_page_ms(_bare)) for _ in range(QUICK_ROUNDS if quick else ROUNDS)]
    ours, bare = (median(times) for times in zip(*rounds, strict=True))
    says = f"Trickle's first page is here after {ours:.0f} ms, {ours / bare:.2f} × the bare app's time:"
    rows = [("Trickle", *_row([ours for ours, _ in rounds])), ("bare", *_row([bare for _, bare in rounds]))]
    return Section(
        title="Start",
        sentences=(HOW,),
        tables=(
            aims("Aim:", [("first page ÷ the bare app's, median", LIMIT, ours / bare)]),
            Table(says, ("server", "median, ms", "fastest", "slowest"), rows),
        ),
        ratios={"first page ÷ the bare app's": Spread(tuple(ours / bare for ours, bare in rounds))},
    )


def first_page_ms(start: Callable[[], AbstractContextManager[Server]]) -> float:
    """Start a server, ask for its page, and return how long both took."""
    began = time.monotonic()
    with start() as server:
        response = server.get("/")
        assert response.status == 200
        response.read()
        return (time.monotonic() - began) * 1000


def _bare() -> AbstractContextManager[Server]:
    return serving(command=(sys.executable, "-m", "benchmarks.bare"))


def _row(times_ms: list[float]) -> tuple[str, ...]:
    return tuple(figure(ms, 0) for ms in (median(times_ms), min(times_ms), max(times_ms)))

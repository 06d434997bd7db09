"""What the page's part of the bench makes of a trace and of a run, from ones that never were."""

from collections.abc import Mapping

import pytest

from benchmarks.chromium import Task, Trace, read
from benchmarks.loading import Loads, Opened, table
from benchmarks.page import CASES, COUNTED, LONG, Found, section

ASKED_US = 1_000_000
OURS = {"pid": 1, "tid": 1}


def task(at_ms: float, took_ms: float, cpu_ms: float | None = None, **of: int) -> Mapping[str, object]:
    cpu = {} if cpu_ms is None else {"tdur": cpu_ms * 1000}
    name = "ThreadControllerImpl::RunTask"
    return {"name": name, "ts": ASKED_US + at_ms * 1000, "dur": took_ms * 1000} | cpu | OURS | of


def test_a_trace_is_of_the_thread_that_marked_since_it_did() -> None:
    events = [
        {"name": "asked", "ts": ASKED_US} | OURS,
        task(-10, 5, 5),
        task(10, 60, 20),
        task(80, 70),  # its CPU time is not known
        task(90, 500, 500, tid=2),
        task(90, 500, 500, pid=2),
        {"name": "DrawFrame", "ts": ASKED_US + 1} | OURS | {"tid": 3},
        {"name": "DroppedFrame", "ts": ASKED_US + 1} | OURS | {"tid": 3},
        {"name": "DroppedFrame", "ts": ASKED_US - 1} | OURS | {"tid": 3},
    ]
    trace = read([dict(event) for event in events])
    assert trace == Trace((Task(10, 60, 20), Task(80, 70, 70)), frames=1, dropped=1)
    assert (trace.long, trace.long_by_cpu) == (list(trace.tasks), [trace.tasks[1]])
    assert trace.longest_ms == 70
    assert [trace.cost_ms(*between) for between in ((0, 10), (10, 80), (10, 81))] == [0, 20, 90]


def found(last_ms: float = 0.3, drawing_ms: float = 10) -> Found:
    """A run whose tokens cost 0.2 ms each, and the last of them more."""
    tokens = 3 * COUNTED
    cost = [0.2] * (tokens - COUNTED) + [last_ms] * COUNTED
    trace = Trace(tuple(Task(i, ms, ms) for i, ms in enumerate(cost)), frames=10, dropped=1)
    return Found(trace, [float(i) for i in range(tokens)], [drawing_ms] * tokens, heap_mb=1.5, shift=0)


def test_what_the_last_tokens_cost_is_weighed_against_the_first() -> None:
    assert found().growth == pytest.approx(1.5, rel=0.01)
    assert found(drawing_ms=25).drawn_frames(50) == pytest.approx(1.5)


LOADS = Loads(kept=(3.0, 4.0), disk=(6.0, 8.0))


def test_a_section_says_which_aims_are_met() -> None:
    opened = [Opened(6, 79_000, 0, painted_ms=100, shift=0), Opened(6, 79_000, 1, painted_ms=120, shift=0.2)]
    whole = section({case: found() for case in (LONG, *CASES)}, [found()], LOADS, opened, opened)
    rows = {row[0]: row[1:] for each in whole.tables for row in each.rows}
    assert rows[f"{LONG.name}: cost of the last 1,000 ÷ the first 1,000"][1:] == ("1.500", "yes")
    assert rows[f"{LONG.name}: drawn after, p99, in frames"][2] == "yes"
    assert rows["a first load: kB"] == ("≤ 80", "79.000", "yes")
    assert rows["a first load: layout shift"][2] == "**no**"
    assert whole.faults == ["1 requests to another host"]
    assert [spread.median for spread in whole.ratios.values()] == [found().growth, 0.5]


def test_of_a_first_load_the_median_of_several_is_told() -> None:
    opened = [Opened(6, 79_000, 0, painted_ms, shift=0) for painted_ms in (100, 500, 120)]
    assert ("first contentful paint, ms, median", "120") in table(LOADS, opened, opened).rows

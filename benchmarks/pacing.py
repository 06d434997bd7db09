"""How well streams keep to their plan, on Trickle, on servers to compare it with, and on the floor."""

from collections.abc import Sequence
from itertools import chain

from benchmarks.cases import Case, Run, Runs, Summary, measured, summary
from benchmarks.figures import aims, figure
from benchmarks.report import Line, Plot, Section, Spread, Table
from benchmarks.servers import FLOOR, LIBRARY, NAIVE, NAMES, OURS, STREAMING

WITHOUT_FAULT = (OURS, FLOOR)  # must neither lose a token nor be early; of the others it is told
NOT_ALONE = (OURS, NAIVE, STREAMING, LIBRARY)  # those that can have several workers

ALONE, CROWD, LARGE_CROWD = Case(1, 10, 5), Case(200, 10, 3), Case(500, 10, 3)
ARRIVING, SHARED = Case(1_000, 10, 1, over_s=3), Case(1_000, 10, 2, NOT_ALONE, over_s=3, workers=2)
WITHOUT_LIBRARY = tuple(name for name in NAMES if name != LIBRARY)
CASES = (
    *(Case(1, 1, 5), Case(50, 1, 3), Case(200, 1, 2), Case(500, 1, 1)),
    *(ALONE, Case(50, 10, 3), CROWD, LARGE_CROWD, ARRIVING, SHARED),
    *(Case(streams, 50, 1, WITHOUT_LIBRARY) for streams in (1, 50, 200, 500)),
)
QUICK = (Case(1, 10, 3, (OURS,)), Case(200, 10, 3, (OURS, NAIVE, STREAMING)))

HOW = """\
Streams of 100 tokens, asked for at once or evenly over some seconds by a client in a process of its own; the
servers take turns, so that what else the machine does hits all of them. E2E is counted from the request to the
last token; late is arrival − due, both since the request. *naive* sleeps between tokens and sends dictionaries
through sse-starlette; *StreamingResponse* is Starlette's own with Trickle's pace and events, *sse-starlette* the
same through that library: from the one to the other is the library's price, from there to *Trickle* our own
(places, log, counts, resuming, limits on sockets). The *floor* writes bytes made beforehand from one bare thread:
what is late there are client and kernel. *server* and *client* are the shares of a core that they took."""

LATE = """\
How late the median token is. It grows in proportion to the streams, because one thread writes what falls due
together one after another; faster only where a core has no time left:"""


def measure(quick: bool) -> Section:
    """Measure how well streams keep to their plan."""
    runs = measured(QUICK if quick else CASES)
    return Section(
        title="Pacing",
        sentences=(HOW,),
        tables=() if quick else _tables(runs),
        plots=() if quick else _plots(runs),
        ratios=_ratios(runs),
        faults=_faults(runs),
    )


def _summary(runs: Sequence[Run]) -> Summary:
    return summary(list(chain.from_iterable(each.load.received for each in runs)))


def _ratios(runs: Runs) -> dict[str, Spread]:
    """Return what the guard compares, of each round."""
    by_size = {(case.streams, case.delay_ms): found for case, found in runs.items() if not case.over_s}
    alone, crowd = by_size[1, 10], by_size[200, 10]
    ours = [summary(each.load.received) for each in crowd[OURS]]
    ratios = {
        "E2E ÷ plan, p50, 1 stream at 10 ms": [summary(each.load.received).e2e_p50 for each in alone[OURS]],
        "E2E ÷ plan, p50, 200 streams at 10 ms": [each.e2e_p50 for each in ours],
    }
    for name in (NAIVE, STREAMING):
        theirs = [summary(each.load.received) for each in crowd[name]]
        pairs = zip(ours, theirs, strict=True)
        ratios[f"late ÷ {name}'s, p50, 200 streams at 10 ms"] = [a.late_p50 / b.late_p50 for a, b in pairs]
    return {name: Spread(tuple(values)) for name, values in ratios.items()}


def _faults(runs: Runs) -> list[str]:
    found = [
        (f"{name}, {case.name} streams at {case.delay_ms} ms", _summary(each))
        for case, by_name in runs.items()
        for name, each in by_name.items()
        if name in WITHOUT_FAULT
    ]
    return [
        f"{where}: {what.early} tokens early, {what.lost} lost" for where, what in found if what.early or what.lost
    ]


HEADER = (
    *("streams, server", "E2E ÷ plan p50", "p99", "late p50, ms", "p99", "max", "sent late p50, ms"),
    *("first token late p50, ms", "drift after it", "early", "lost", "server", "client"),
)


def _tables(runs: Runs) -> list[Table]:
    """Return the aims, and a table for each time per token."""
    delays = sorted({case.delay_ms for case in runs})
    return [_aims(runs), *(_table(delay_ms, runs) for delay_ms in delays)]


def _aims(runs: Runs) -> Table:
    of = {(case, name): _summary(each) for case, by_name in runs.items() for name, each in by_name.items()}
    ours = {case: of[case, OURS] for case in runs}
    return aims(
        "Aims for a quiet machine, all at 10 ms a token; on a busy one, the last two rows are what counts:",
        (
            ("1 stream: E2E ÷ plan p50", 1.003, ours[ALONE].e2e_p50),
            ("200 at once: E2E ÷ plan p50", 1.05, ours[CROWD].e2e_p50),
            ("200 at once: E2E ÷ plan p99", 1.10, ours[CROWD].e2e_p99),
            ("500 at once: E2E ÷ plan p50", 1.12, ours[LARGE_CROWD].e2e_p50),
            ("500 at once: drift after the first token", 0.01, ours[LARGE_CROWD].drift_p50),
            ("1,000 over 3 s, 2 workers: E2E ÷ plan p50", 1.10, ours[SHARED].e2e_p50),
            ("200 at once: late p50 ÷ the naive server's", 0.5, ours[CROWD].late_p50 / of[CROWD, NAIVE].late_p50),
            (
                "200 at once: late p50 ÷ StreamingResponse's",
                1,
                ours[CROWD].late_p50 / of[CROWD, STREAMING].late_p50,
            ),
        ),
    )


def _table(delay_ms: int, runs: Runs) -> Table:
    here = {case: by_name for case, by_name in runs.items() if case.delay_ms == delay_ms}
    most = max((case for case in here if not case.over_s), key=lambda case: case.streams)
    of = {name: _summary(each) for name, each in here[most].items()}
    ours, floor = of[OURS], of[FLOOR]
    planned_ms = most.tokens * most.delay_ms
    says = (
        f"At {delay_ms} ms a token and {most.name} streams Trickle takes {figure(ours.e2e_p50, 3)} × the plan ("
        f"naive {figure(of[NAIVE].e2e_p50, 3)}, StreamingResponse {figure(of[STREAMING].e2e_p50, 3)}, the "
        f"floor {figure(floor.e2e_p50, 3)}, the ideal 1), of which {figure(ours.first_late_p50 / planned_ms, 3)} "
        "come before the first token:"
    )
    rows = [_row(case, name, each) for case, by_name in here.items() for name, each in by_name.items()]
    return Table(says, HEADER, rows)


def _row(case: Case, name: str, runs: Sequence[Run]) -> tuple[str, ...]:
    found = _summary(runs)
    return (
        f"{case.name} · {name}",
        figure(found.e2e_p50, 3),
        figure(found.e2e_p99, 3),
        figure(found.late_p50, 1),
        figure(found.late_p99, 1),
        figure(found.late_max, 1),
        figure(found.sent_late_p50, 1),
        figure(found.first_late_p50, 1),
        f"{found.drift_p50:+.1%}",
        str(found.early),
        str(found.lost),
        f"{max(each.server_share for each in runs):.0%}",
        f"{max(each.load.cpu_share for each in runs):.0%}",
    )


def _plots(runs: Runs) -> tuple[Plot, Plot]:
    at_once = (case for case in runs if case.delay_ms == 10 and not case.over_s)
    cases = sorted(at_once, key=lambda case: case.streams)
    of = {name: [(case.streams, _summary(runs[case][name])) for case in cases] for name in NAMES}
    late = [Line(name, [(streams, each.late_p50) for streams, each in found]) for name, found in of.items()]
    e2e = [Line(name, [(streams, each.e2e_p50) for streams, each in found]) for name, found in of.items()]
    x = "streams at once, 100 tokens at 10 ms"
    return (
        Plot("late", LATE, x, "late p50, ms", late, log_x=True, log_y=True),
        Plot("e2e", "How much longer than planned the median stream takes:", x, "E2E ÷ plan p50", e2e, log_x=True),
    )

"""What a server computes for an event and a new stream, and what it keeps for an open one; and how that grows."""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from statistics import median

from benchmarks.cases import Case, Run, Runs, measured
from benchmarks.figures import aims, figure, fit
from benchmarks.report import Line, Plot, Section, Spread, Table
from benchmarks.servers import LIBRARY, NAIVE, OURS, STREAMING, started
from tests.process import Server, memory

NAMES = (OURS, NAIVE, STREAMING, LIBRARY)
DELAY_MS = 20
OVER_S = 0.2  # so that not all tokens of all streams fall due together
USUAL = Case(100, DELAY_MS, 3, NAMES, OVER_S, tokens=60)
TOKENS = (*(Case(100, DELAY_MS, 2, NAMES, OVER_S, tokens=tokens) for tokens in (30, 120, 240)), USUAL)
STREAMS = (*(Case(streams, DELAY_MS, 2, NAMES, OVER_S, tokens=60) for streams in (25, 50, 200)), USUAL)
NEW = Case(500, DELAY_MS, 2, NAMES, over_s=1, tokens=1)
HELD = (100, 200, 300, 400)  # open streams
ROUNDS, QUICK_ROUNDS = 3, 2
WAITING = "/stream?lane=tokens:2,delay_ms:10000"
BEARABLE_KB = 30  # for a stream, more than sse-starlette alone

HOW = f"""\
CPU is that of the server's processes alone (`/proc/PID/stat`), with streams of one token every {DELAY_MS} ms, and
servers and client as in *Pacing*. The slope of the line through runs with more and more tokens is what an event
costs; what a new stream costs is measured with {NEW.streams} streams of one token. Memory is what a fresh server's
resident memory grows by with streams that wait for their first token; *naive* is sse-starlette with a generator
that sleeps, so the library alone."""

Held = Mapping[str, Sequence[Sequence[tuple[float, float]]]]  # of each server and round: open streams, kB


@dataclass(frozen=True)
class Cost:
    """Of one server, in µs of CPU and kB."""

    event_us: float
    stream_us: float
    stream_kb: float


def measure(quick: bool) -> Section:
    """Measure what an event and a stream cost."""
    usual = replace(USUAL, servers=(OURS, STREAMING)) if quick else USUAL
    runs = measured((usual,) if quick else tuple(dict.fromkeys((*TOKENS, *STREAMS, NEW))))
    held = _held_by((OURS, NAIVE), QUICK_ROUNDS) if quick else _held_by(NAMES, ROUNDS)
    return Section(
        title="Cost",
        sentences=(HOW,),
        tables=() if quick else _tables(runs, held),
        plots=() if quick else _plots(runs, held),
        ratios=_ratios(runs[usual], held),
    )


def _held_by(names: Sequence[str], rounds: int) -> Held:
    """Open more and more streams, each time on fresh servers."""
    return {name: [_held(name) for _ in range(rounds)] for name in names}


def _held(name: str) -> list[tuple[float, float]]:
    with started(name) as server, ExitStack() as stack:
        stack.enter_context(_open_streams(server, 1))  # what is made once for all streams
        points: list[tuple[float, float]] = []
        for streams in HELD:
            stack.enter_context(_open_streams(server, streams - len(points) * HELD[0]))
            points.append((float(streams), memory(server) / 1024))
        return points


@contextmanager
def _open_streams(server: Server, streams: int) -> Iterator[None]:
    """Keep some streams open, each of which has begun."""
    with ExitStack() as stack:
        connections = [
            stack.enter_context(socket.create_connection((server.host, server.port))) for _ in range(streams)
        ]
        for connection in connections:
            connection.sendall(f"GET {WAITING} HTTP/1.1\r\nHost: {server.host}\r\n\r\n".encode())
        for connection in connections:
            assert connection.recv(1_000).startswith(b"HTTP/1.1 200")
        yield


def _ratios(usual: Mapping[str, Sequence[Run]], held: Held) -> dict[str, Spread]:
    """Return what the guard compares, of each round."""
    cpu = {name: [run.cpu_s for run in rounds] for name, rounds in usual.items()}
    kb = {name: [fit(points).slope for points in rounds] for name, rounds in held.items()}
    pairs = {
        "CPU ÷ StreamingResponse's, 100 streams at 20 ms": (cpu[OURS], cpu[STREAMING]),
        "memory of an open stream ÷ sse-starlette's own": (kb[OURS], kb[NAIVE]),
    }
    return {
        name: Spread(tuple(ours / theirs for ours, theirs in zip(*both, strict=True)))
        for name, both in pairs.items()
    }


def _cpu_ms(runs: Runs, case: Case, name: str) -> float:
    return median(run.cpu_s for run in runs[case][name]) * 1000


def _lines(runs: Runs, cases: Sequence[Case], size: Callable[[Case], int]) -> list[Line]:
    """Return what each server computed for cases of a growing size."""
    growing = sorted(cases, key=size)
    return [Line(name, [(float(size(case)), _cpu_ms(runs, case, name)) for case in growing]) for name in NAMES]


def _kb(held: Held, name: str) -> list[tuple[float, float]]:
    """Return by how much the median server grew, in kB, with so many streams open."""
    rounds = [[(streams, kb - fit(points).intercept) for streams, kb in points] for points in held[name]]
    return [(points[0][0], median(kb for _, kb in points)) for points in zip(*rounds, strict=True)]


def _costs(runs: Runs, held: Held) -> dict[str, Cost]:
    by_tokens = {line.name: fit(line.points) for line in _lines(runs, TOKENS, lambda case: case.tokens)}
    return {
        name: Cost(
            event_us=found.slope / USUAL.streams * 1000,
            stream_us=_cpu_ms(runs, NEW, name) / NEW.streams * 1000,
            stream_kb=fit(_kb(held, name)).slope,
        )
        for name, found in by_tokens.items()
    }


def _tables(runs: Runs, held: Held) -> list[Table]:
    costs = _costs(runs, held)
    ours, naive, streaming, library = (costs[name] for name in NAMES)
    more_kb = ours.stream_kb - naive.stream_kb
    says = (
        f"An event costs Trickle {ours.event_us:.0f} µs of CPU, StreamingResponse with the same pace "
        f"{streaming.event_us:.0f} µs, and the same through sse-starlette {library.event_us:.0f} µs; an open "
        f"stream takes {figure(ours.stream_kb, 0)} kB, {figure(more_kb, 0)} kB more than sse-starlette alone:"
    )
    rows = [
        (name, figure(each.event_us, 0), figure(each.stream_us, 0), figure(each.stream_kb, 0))
        for name, each in costs.items()
    ]
    return [
        aims("Aim:", [("memory of an open stream more than sse-starlette's own, kB", BEARABLE_KB, more_kb)]),
        Table(says, ("server", "CPU of an event, µs", "a new stream, µs", "memory of an open stream, kB"), rows),
    ]


def _plots(runs: Runs, held: Held) -> list[Plot]:
    by_tokens = _lines(runs, TOKENS, lambda case: case.tokens)
    by_streams = _lines(runs, STREAMS, lambda case: case.streams)
    open_streams = [Line(name, _kb(held, name)) for name in held]
    return [
        Plot(
            "cpu-tokens",
            "CPU grows linearly with n, because each event is made and written once and looks at no other; "
            f"{_near(by_tokens)}:",
            "tokens of each of 100 streams",
            "CPU, ms",
            by_tokens,
        ),
        Plot(
            "cpu-streams",
            "CPU grows linearly with the streams, because none looks at another (the loop's timers are a heap, "
            f"whose log n is too little to be seen); {_near(by_streams)}:",
            "streams of 60 tokens",
            "CPU, ms",
            by_streams,
        ),
        Plot(
            "memory-streams",
            "Memory grows linearly with open streams, because each has its own tasks and buffers; "
            f"{_near(open_streams)}:",
            "open streams",
            "memory more than without, kB",
            open_streams,
        ),
    ]


def _near(lines: Sequence[Line]) -> str:
    ours = next(line for line in lines if line.name == OURS)
    return f"no point of Trickle's is farther than {fit(ours.points).deviation:.1%} from a straight line"

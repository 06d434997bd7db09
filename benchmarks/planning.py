"""What it takes to plan a long answer, and whether that holds up the streams beside it."""

import random
import time
from collections.abc import Callable
from statistics import median

from benchmarks.cases import Summary, summary
from benchmarks.figures import figure, fit
from benchmarks.load import Ask, Client, at_once
from benchmarks.report import Line, Plot, Section, Spread, Table
from benchmarks.servers import OURS, started
from server.latency.schedule import plan, plan_in_slices
from server.latency.spec import LaneSpec
from tests.process import Server

TOKENS = (1_000, 2_500, 5_000, 10_000)
JITTER = "0.5"
ROUNDS, QUICK_ROUNDS, TRIES = 9, 3, 3
STREAMS = 10  # with 100 tokens at 10 ms
OVER_S = 0.2
PLANS, PLANS_AFTER_S = 20, 0.4

HOW = f"""\
A cold plan is that of a lane with jitter and a seed that nobody asked for before. {STREAMS} streams with a token
every 10 ms, one begun after the other, run alone and, in turn with that, beside {PLANS} requests at once for cold
plans of {TOKENS[-1]:,} tokens each."""


def measure(quick: bool) -> Section:
    """Measure planning."""
    rounds = QUICK_ROUNDS if quick else ROUNDS
    took = {tokens: [_planned_ms(tokens, seed) for seed in range(rounds)] for tokens in TOKENS}
    draws = [_drawn_ms(TOKENS[-1], seed) for seed in range(rounds)]
    slices = [_longest_slice_ms(TOKENS[-1], seed) for seed in range(rounds)]
    alone, beside = _beside(rounds)
    return Section(
        title="Planning",
        sentences=(HOW,),
        tables=(
            _plan_table(median(took[TOKENS[-1]]), median(draws), median(slices)),
            _beside_table(alone, beside),
        ),
        plots=(_plot([(float(tokens), median(times)) for tokens, times in took.items()]),),
        ratios={
            "plan of 10,000 tokens ÷ their draws": Spread(
                tuple(ms / drawn for ms, drawn in zip(took[TOKENS[-1]], draws, strict=True))
            ),
            "late p99 beside cold plans ÷ alone": Spread(
                tuple(b.late_p99 / a.late_p99 for a, b in zip(alone, beside, strict=True))
            ),
        },
        faults=[
            f"beside cold plans: {each.early} tokens early, {each.lost} lost"
            for each in (*alone, *beside)
            if each.early or each.lost
        ],
    )


def _spec(tokens: int, seed: int) -> LaneSpec:
    return LaneSpec.model_validate({"tokens": tokens, "jitter": JITTER, "seed": seed})


def _took_ms(do: Callable[[], object]) -> float:
    """Return the shortest of a few times: what is longer is the machine's other work."""

    def once() -> float:
        began = time.perf_counter()
        do()
        return (time.perf_counter() - began) * 1000

    return min(once() for _ in range(TRIES))


def _planned_ms(tokens: int, seed: int) -> float:
    specs = [_spec(tokens, seed)]
    return _took_ms(lambda: plan(specs))


def _drawn_ms(tokens: int, seed: int) -> float:
    """Draw the gaps and do nothing else, which no plan can do without."""
    draw = random.Random(seed).gammavariate
    return _took_ms(lambda: [draw(4, 2_500) for _ in range(tokens)])


def _longest_slice_ms(tokens: int, seed: int) -> float:
    """Return the longest part of a plan in one go; between two, other streams have their turn."""
    slices = plan_in_slices([_spec(tokens, seed)])
    ended = object()
    following: object = None
    longest_s = 0.0
    while following is not ended:
        began = time.perf_counter()
        following = next(slices, ended)
        longest_s = max(longest_s, time.perf_counter() - began)
    return longest_s * 1000


def _beside(rounds: int) -> tuple[list[Summary], list[Summary]]:
    """Run streams alone and beside cold plans, in turn."""
    streams = at_once(STREAMS, 100, 10, OVER_S)
    alone, beside = [], []
    with started(OURS) as server, Client() as client:
        _load(client, server, streams)
        for number in range(rounds):
            alone.append(_load(client, server, streams))
            beside.append(_load(client, server, [*streams, *_plans(number)]))
    return alone, beside


def _plans(number: int) -> list[Ask]:
    seeds = range(number * PLANS, (number + 1) * PLANS)
    path = f"/plan?lane=tokens:{TOKENS[-1]},jitter:{JITTER},seed:"
    return [Ask(f"{path}{seed}", PLANS_AFTER_S) for seed in seeds]


def _load(client: Client, server: Server, asks: list[Ask]) -> Summary:
    received = client.load(server, asks).received
    assert all(each.whole for each in received)
    return summary([each for each in received if each.expected])


def _plan_table(planned_ms: float, drawn_ms: float, slice_ms: float) -> Table:
    says = (
        f"A cold plan of {TOKENS[-1]:,} tokens with jitter takes {planned_ms:.1f} ms, of which {drawn_ms:.1f} ms "
        f"are the random draws themselves; the longest slice of it in which others wait takes {slice_ms:.1f} ms:"
    )
    rows = [
        ("whole plan", figure(planned_ms, 1)),
        ("its draws alone", figure(drawn_ms, 1)),
        ("its longest slice", figure(slice_ms, 1)),
    ]
    return Table(says, (f"{TOKENS[-1]:,} tokens", "median, ms"), rows)


def _beside_table(alone: list[Summary], beside: list[Summary]) -> Table:
    rows = [
        (
            name,
            *(
                figure(median(values), 1)
                for values in zip(*((each.late_p50, each.late_p99, each.late_max) for each in found), strict=True)
            ),
        )
        for name, found in (("alone", alone), (f"beside {PLANS} cold plans", beside))
    ]
    worst = median(each.late_max for each in beside)
    says = f"Beside {PLANS} cold plans the latest token is {worst:.1f} ms late (median of the rounds):"
    return Table(says, (f"{STREAMS} streams at 10 ms", "late p50, ms", "p99", "max"), rows)


def _plot(points: list[tuple[float, float]]) -> Plot:
    near = fit(points)
    return Plot(
        "plan-tokens",
        "Planning grows linearly with n, because each token is drawn once and the only sort is of times that are "
        f"sorted already; no point is farther than {near.deviation:.1%} from a straight line:",
        "tokens",
        "cold plan, ms",
        [Line(OURS, points)],
    )

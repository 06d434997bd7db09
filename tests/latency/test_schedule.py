"""The six steps of a lane's schedule, by tables worked out by hand from DESIGN.md section 4, and by laws.

Tables are in milliseconds, as the plan is; the schedule itself is in whole microseconds.
"""

import random
from collections.abc import Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import fmean, pstdev
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.latency.schedule import LanePlan, Schedule, Step, plan, plan_in_slices
from server.latency.spec import LaneSpec
from tests.specs import MAX_TOKENS, lanes, runs, settings

Ms = float
Row = tuple[str, list[Ms]]


def planned(of: dict[str, Any]) -> LanePlan:
    return plan([LaneSpec.model_validate(of)]).lanes[0]


def lane(text: str) -> LanePlan:
    """Plan a lane that is written as in the URL."""
    return planned(dict(pair.split(":") for pair in text.split(",")))


def us(times: Sequence[Ms]) -> tuple[int, ...]:
    return tuple(round(time * 1000) for time in times)


FIRST_AND_GAPS: list[Row] = [
    ("tokens:5,delay_ms:10", [10, 20, 30, 40, 50]),  # E2E = n × t
    ("tokens:1,delay_ms:10", [10]),
    ("tokens:4,delay_ms:10,ttft_ms:0", [0, 10, 20, 30]),
    ("tokens:4,delay_ms:10,ttft_ms:250.5", [250.5, 260.5, 270.5, 280.5]),
    ("tokens:3,delay_ms:0", [0, 0, 0]),
    ("tokens:3,delay_ms:0,ttft_ms:100", [100, 100, 100]),
    ("tokens:4,delay_ms:0.001", [0.001, 0.002, 0.003, 0.004]),
    ("tokens:3,delay_ms:0.333", [0.333, 0.666, 0.999]),
    # gap i is the one before token i, and longer by growth · (i − 1): here 11, 12, 13.
    ("tokens:4,delay_ms:10,growth_ms:1", [10, 21, 33, 46]),
    ("tokens:5,delay_ms:0,growth_ms:0.5", [0, 0.5, 1.5, 3, 5]),
    ("tokens:1,delay_ms:10,growth_ms:10", [10]),
    ("tokens:3,delay_ms:0,jitter:1,ttft_ms:7", [7, 7, 7]),  # no draws where delay is 0
]
STALLS: list[Row] = [
    ("tokens:5,delay_ms:10,stall_at:1,stall_ms:100", [110, 120, 130, 140, 150]),
    ("tokens:5,delay_ms:10,stall_at:3,stall_ms:100", [10, 20, 130, 140, 150]),
    ("tokens:5,delay_ms:10,stall_at:5,stall_ms:0.5", [10, 20, 30, 40, 50.5]),
    ("tokens:3,delay_ms:10,stall_at:2,stall_ms:0", [10, 20, 30]),
    ("tokens:3,delay_ms:10,growth_ms:1,stall_at:2,stall_ms:5", [10, 26, 38]),
]
BURSTS: list[Row] = [
    ("tokens:10,delay_ms:10,burst:4", [10, 50, 50, 50, 50, 90, 90, 90, 90, 100]),
    ("tokens:9,delay_ms:10,burst:4", [10, 50, 50, 50, 50, 90, 90, 90, 90]),
    ("tokens:3,delay_ms:10,burst:100", [10, 30, 30]),
    ("tokens:3,delay_ms:10,burst:1", [10, 20, 30]),
    ("tokens:1,delay_ms:10,burst:3", [10]),
    ("tokens:5,delay_ms:10,burst:2,stall_at:2,stall_ms:100", [10, 130, 130, 150, 150]),
    ("tokens:5,delay_ms:10,burst:2,stall_at:3,stall_ms:100", [10, 130, 130, 150, 150]),
    ("tokens:5,delay_ms:10,burst:2,stall_at:4,stall_ms:100", [10, 30, 30, 150, 150]),
]
FLUSHES: list[Row] = [
    ("tokens:5,delay_ms:10,flush_ms:25", [25, 25, 50, 50, 50]),  # 50 is an exact multiple, and stays
    ("tokens:3,delay_ms:10,flush_ms:10", [10, 20, 30]),
    ("tokens:3,delay_ms:10,ttft_ms:0,flush_ms:1000", [0, 1000, 1000]),
    ("tokens:3,delay_ms:10,flush_ms:9.999", [19.998, 29.997, 39.996]),
    ("tokens:3,delay_ms:10,flush_ms:0.001", [10, 20, 30]),
]
WHOLES: list[Row] = [
    ("tokens:4,delay_ms:10,delivery:whole", [40, 40, 40, 40]),
    ("tokens:1,delay_ms:10,delivery:whole", [10]),
    ("tokens:3,delay_ms:10,delivery:whole,flush_ms:25", [50, 50, 50]),
    ("tokens:3,delay_ms:10,delivery:whole,stall_at:3,stall_ms:7", [37, 37, 37]),
]
# After gaps: 100 112 126 142 160 180; stall: 100 112 176 192 210 230; burst: 100 176 176 210 210 230.
MANY_AT_ONCE = "tokens:6,delay_ms:10,ttft_ms:100,growth_ms:2,stall_at:3,stall_ms:50,burst:2,flush_ms:40"
COMBINATIONS: list[Row] = [
    (MANY_AT_ONCE, [120, 200, 200, 240, 240, 240]),
    (MANY_AT_ONCE + ",delivery:whole", [240] * 6),
    (MANY_AT_ONCE + ",flush_ms:0", [100, 176, 176, 210, 210, 230]),
]


@pytest.mark.parametrize(
    ("text", "due_ms"), FIRST_AND_GAPS + STALLS + BURSTS + FLUSHES + WHOLES + COMBINATIONS, ids=str
)
def test_a_lane_is_due_as_the_plan_says(text: str, due_ms: list[Ms]) -> None:
    assert lane(text) == LanePlan(us(due_ms), us(due_ms)[-1], fails=False)


@pytest.mark.parametrize(
    ("text", "due_ms", "failed_ms"),
    [
        ("tokens:5,delay_ms:10,fail_at:3", [10, 20, 30], 30),
        ("tokens:5,delay_ms:10,fail_at:5", [10, 20, 30, 40, 50], 50),
        ("tokens:5,delay_ms:10,fail_at:0", [], 10),
        ("tokens:5,delay_ms:10,fail_at:0,ttft_ms:250", [], 250),
        ("tokens:5,delay_ms:10,fail_at:2,stall_at:3,stall_ms:100", [10, 20], 20),
        ("tokens:5,delay_ms:10,fail_at:3,stall_at:3,stall_ms:100", [10, 20, 130], 130),
        ("tokens:5,delay_ms:10,fail_at:4,burst:2", [10, 30, 30, 40], 40),  # what remains is a group
        ("tokens:5,delay_ms:10,fail_at:3,flush_ms:25", [25, 25, 50], 50),
        ("tokens:5,delay_ms:10,fail_at:0,flush_ms:25", [], 25),
        ("tokens:5,delay_ms:10,fail_at:3,delivery:whole", [], 30),  # none but `failed`
        ("tokens:5,delay_ms:10,fail_at:5,delivery:whole", [], 50),
        ("tokens:5,delay_ms:10,fail_at:0,delivery:whole", [], 10),
        (MANY_AT_ONCE + ",fail_at:4", [120, 200, 200, 200], 200),
        (MANY_AT_ONCE + ",fail_at:4,delivery:whole", [], 200),
    ],
    ids=str,
)
def test_a_lane_that_fails_ends_with_its_last_token(text: str, due_ms: list[Ms], failed_ms: Ms) -> None:
    assert lane(text) == LanePlan(us(due_ms), us([failed_ms])[0], fails=True)


# What every version of Python must give; made once, on 3.11.
PINNED_US = {
    (Decimal("0.5"), 1): (10000, 14945, 30527, 40458, 53128, 71624, 80828, 87145),
    (Decimal(1), 2**32 - 1): (10000, 20088, 22360, 31709, 35153, 39309, 44107, 55773),
}


@pytest.mark.parametrize(("jitter", "seed"), PINNED_US)
def test_a_jittered_schedule_is_the_same_everywhere(jitter: Decimal, seed: int) -> None:
    assert lane(f"tokens:8,delay_ms:10,jitter:{jitter},seed:{seed}").due_us == PINNED_US[jitter, seed]


def test_the_gaps_are_one_gamma_draw_each() -> None:
    # Mean k·θ = delay, coefficient of variation 1/√k = jitter.
    rng, k = random.Random(7), 1 / 0.4**2
    due = [52_000]
    for _ in range(2_999):
        due.append(due[-1] + round(rng.gammavariate(k, 10_000 / k)))
    assert lane("tokens:3000,delay_ms:10,ttft_ms:52,jitter:0.4,seed:7").due_us == tuple(due)


@pytest.mark.parametrize("jitter", ["0.1", "0.5", "1"])
def test_jitter_keeps_the_mean_and_is_the_coefficient_of_variation(jitter: str) -> None:
    due = lane(f"tokens:10000,delay_ms:10,jitter:{jitter}").due_us
    gaps = [after - before for before, after in pairwise(due)]
    assert fmean(gaps) == pytest.approx(10_000, rel=0.03)  # the seed is fixed, so this is no matter of luck
    assert pstdev(gaps) / fmean(gaps) == pytest.approx(float(jitter), rel=0.05)


@given(settings())
def test_growth_comes_on_top_of_the_jitter(of: dict[str, Any]) -> None:
    of |= {"burst": 1, "flush_ms": 0, "delivery": "token", "fail_at": None}
    plain, grown = planned(of | {"growth_ms": 0}).due_us, planned(of | {"growth_ms": 2}).due_us
    # 1 + 2 + … + (i − 1) times 2 ms, for token i.
    assert grown == tuple(due + 2_000 * i * (i - 1) // 2 for i, due in enumerate(plain, start=1))


@given(lanes())
def test_a_lane_has_its_tokens_and_time_never_falls(spec: LaneSpec) -> None:
    made = plan([spec]).lanes[0]
    left = spec.tokens if spec.fail_at is None else spec.fail_at
    assert len(made.due_us) == (0 if made.fails and spec.delivery == "whole" else left)
    assert made.fails == (spec.fail_at is not None)
    assert all(type(due) is int and due >= 0 for due in (*made.due_us, made.end_us))
    assert all(before <= after for before, after in pairwise((*made.due_us, made.end_us)))
    assert not made.due_us or made.end_us == made.due_us[-1]


@given(runs(), st.integers(0, 2**32 - 1))
def test_a_schedule_depends_on_nothing_but_its_settings(specs: list[LaneSpec], anything: int) -> None:
    before = plan(specs)
    random.seed(anything)
    assert plan([LaneSpec.model_validate(spec.model_dump()) for spec in specs]) == before


@given(st.lists(lanes(), max_size=3), lanes())
def test_twins_are_identical_wherever_they_stand(others: list[LaneSpec], spec: LaneSpec) -> None:
    assert plan([*others, spec]).lanes[-1] == plan([spec]).lanes[0]


def test_another_seed_gives_another_schedule() -> None:
    seeds = [0, 1, 2, 2**32 - 1]
    assert len({lane(f"tokens:20,jitter:1,seed:{seed}").due_us for seed in seeds}) == len(seeds)


@given(settings())
def test_the_first_token_is_due_at_ttft_and_never_jittered(of: dict[str, Any]) -> None:
    of |= {"flush_ms": 0, "delivery": "token", "fail_at": None}
    spec = LaneSpec.model_validate(of)
    stall = spec.stall_ms if spec.stall_at == 1 and spec.stall_ms else 0
    assert planned(of).due_us[0] == (spec.first_due_ms + stall) * 1000


@given(settings())
def test_a_burst_holds_tokens_back_and_keeps_the_first_and_the_last(of: dict[str, Any]) -> None:
    of |= {"flush_ms": 0, "delivery": "token"}
    single, burst = planned(of | {"burst": 1}), planned(of)
    assert burst.end_us == single.end_us
    assert burst.due_us[:1] == single.due_us[:1]
    assert all(late >= due for late, due in zip(burst.due_us, single.due_us, strict=True))


@given(settings(), st.integers(1, 100_000))
def test_a_flush_holds_back_to_the_next_multiple(of: dict[str, Any], flush_us: int) -> None:
    of |= {"delivery": "token"}
    free, held = planned(of | {"flush_ms": 0}), planned(of | {"flush_ms": Decimal(flush_us) / 1000})
    pairs = zip((*free.due_us, free.end_us), (*held.due_us, held.end_us), strict=True)
    assert all(late % flush_us == 0 and 0 <= late - due < flush_us for due, late in pairs)


@given(settings())
def test_whole_is_all_at_once_with_the_same_total(of: dict[str, Any]) -> None:
    streamed, whole = planned(of | {"delivery": "token"}), planned(of | {"delivery": "whole"})
    assert whole.end_us == streamed.end_us
    assert whole.due_us == (() if whole.fails else (streamed.end_us,) * len(streamed.due_us))


def _by_hand(lane_plans: Sequence[LanePlan]) -> list[Step]:
    """Merge by (due, lane, i), then put each end directly after its lane's last token."""
    tokens = [Step(n, i, due, False) for n, one in enumerate(lane_plans) for i, due in enumerate(one.due_us)]
    steps = sorted(tokens, key=lambda step: (step.due_us, step.lane, step.i))
    for number, one in enumerate(lane_plans):
        count = len(one.due_us)
        end = Step(number, count, one.end_us, True)
        if count:
            place = steps.index(Step(number, count - 1, one.due_us[-1], False)) + 1
        else:
            place = sum((step.due_us, step.lane) < (end.due_us, number) for step in steps)
        steps.insert(place, end)
    return steps


@given(runs())
def test_a_run_merges_its_lanes_by_due_time_then_lane_then_token(specs: list[LaneSpec]) -> None:
    schedule = plan(specs)
    steps = list(schedule.steps())
    assert steps == _by_hand(schedule.lanes)
    assert schedule.tokens == sum(not step.is_end for step in steps)
    assert max(step.due_us for step in steps) == steps[-1].due_us


def test_lanes_that_fall_due_together_come_in_their_order() -> None:
    specs = [LaneSpec(tokens=2, delay_ms=Decimal(10)), LaneSpec(tokens=1, delay_ms=Decimal(20))] * 2
    assert [(step.lane, step.i, step.due_us // 1000, step.is_end) for step in plan(specs).steps()] == [
        *[(0, 0, 10, False), (2, 0, 10, False)],
        *[(0, 1, 20, False), (0, 2, 20, True), (1, 0, 20, False), (1, 1, 20, True)],
        *[(2, 1, 20, False), (2, 2, 20, True), (3, 0, 20, False), (3, 1, 20, True)],
    ]


@given(runs())
def test_resuming_after_any_count_gives_the_rest_and_first_the_ends_that_are_past(specs: list[LaneSpec]) -> None:
    schedule = plan(specs)
    steps = list(schedule.steps())
    tokens = [step for step in steps if not step.is_end]
    for delivered in range(schedule.tokens + 1):
        place = steps.index(tokens[delivered - 1]) + 1 if delivered else 0
        past = sorted(step for step in steps[:place] if step.is_end)
        resumed = list(schedule.steps(delivered))
        assert sorted(resumed[: len(past)]) == past
        assert resumed[len(past) :] == steps[place:]
        assert schedule.last_due_us(delivered) == (tokens[delivered - 1].due_us if delivered else 0)


@given(runs())
def test_more_tokens_than_there_are_can_not_have_been_delivered(specs: list[LaneSpec]) -> None:
    schedule = plan(specs)
    with pytest.raises(ValueError, match="at most"):
        list(schedule.steps(schedule.tokens + 1))
    with pytest.raises(ValueError, match="at most"):
        schedule.last_due_us(schedule.tokens + 1)


def test_a_large_run_is_planned_in_many_slices() -> None:
    specs = [LaneSpec(tokens=10_000, jitter=Decimal("0.5"))] * 4
    slices, made = 0, plan_in_slices(specs)
    schedule: Schedule | None = None
    while schedule is None:
        try:
            next(made)
            slices += 1
        except StopIteration as finished:
            schedule = finished.value
    assert slices >= 40  # at most 1,000 draws each, which take some 2 ms
    assert schedule == plan(specs)
    assert schedule.tokens == 40_000


@given(lanes(), st.integers(1, MAX_TOKENS))
def test_a_lane_with_fewer_tokens_is_a_good_one_and_the_same_as_far_as_it_goes(spec: LaneSpec, most: int) -> None:
    # What comes in groups comes with the last of its group, which may be one that is no more.
    spec = spec.model_copy(update={"burst": 1, "delivery": "token"})
    shorter = spec.with_tokens(min(most, spec.tokens))
    assert LaneSpec.model_validate(shorter.model_dump()) == shorter
    assert plan([shorter]).lanes[0].due_us == plan([spec]).lanes[0].due_us[: shorter.tokens]
    assert spec.with_tokens(spec.tokens) == spec

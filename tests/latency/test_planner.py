"""Planner: each schedule is made once, whoever asks and leaves, and others run meanwhile."""

from collections.abc import Generator, Sequence
from decimal import Decimal

import anyio
import pytest

from server.latency import planner as planner_module
from server.latency.offered import Offered
from server.latency.planner import Planner
from server.latency.run import Run
from server.latency.schedule import Schedule, plan, plan_in_slices
from server.latency.spec import LaneSpec
from server.latency.tokens import built_in, tokens_of

MINE = Offered({"mine": "Hello."})
JITTERED = LaneSpec(tokens=3_000, jitter=Decimal("0.5"))
LARGE = [LaneSpec(tokens=10_000, jitter=Decimal("0.5"), seed=seed) for seed in range(4)]

Made = list[tuple[LaneSpec, ...]]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    """What the planner has begun to make."""
    made: Made = []

    def noted(specs: Sequence[LaneSpec]) -> Generator[None, None, Schedule]:
        made.append(tuple(specs))
        return plan_in_slices(specs)

    monkeypatch.setattr(planner_module, "plan_in_slices", noted)
    return made


async def test_a_run_has_its_schedule_and_its_texts() -> None:
    specs = [LaneSpec(tokens=7, text="waiting"), LaneSpec(tokens=5, fail_at=2)]
    run = await Planner().run(specs)
    assert run.specs == tuple(specs)
    assert run.schedule == plan(specs)
    assert [tuple(texts) for texts in run.texts] == [
        tuple(tokens_of(built_in("waiting"), 7)),
        tuple(tokens_of(built_in(specs[1].text), 5)),
    ]


async def test_the_visitors_own_text_takes_the_place_of_all_the_lanes_texts() -> None:
    run = await Planner().run([LaneSpec(tokens=3), LaneSpec(tokens=2, text="waiting")], say="Hello there.")
    assert [list(texts) for texts in run.texts] == [["Hello", " there", "."], ["Hello", " there"]]


async def test_a_lane_may_name_a_text_of_a_deck_which_then_repeats() -> None:
    spec = LaneSpec.model_validate({"tokens": 4, "text": "mine"}, context=MINE)
    run = await Planner().run([spec, LaneSpec(tokens=1)], offered=MINE)
    assert [list(texts) for texts in run.texts] == [["Hello", ".", "\n\n", "Hello"], ["When"]]
    assert run.schedule == plan([spec, LaneSpec(tokens=1)])


async def test_fifty_who_ask_at_once_share_one_plan(made: Made) -> None:
    planner, runs = Planner(), list[Run]()

    async def one() -> None:
        runs.append(await planner.run([JITTERED]))

    async with anyio.create_task_group() as group:
        for _ in range(50):
            group.start_soon(one)
    assert len(made) == 1
    assert len(runs) == 50
    assert all(run.schedule is runs[0].schedule for run in runs)


async def test_who_asks_later_gets_the_same_plan(made: Made) -> None:
    planner = Planner()
    first = await planner.run([JITTERED])
    assert (await planner.run([JITTERED])).schedule is first.schedule
    assert len(made) == 1


async def test_settings_that_change_no_due_time_share_a_plan_and_stay_as_they_are(made: Made) -> None:
    planner = Planner()
    first = await planner.run([JITTERED])
    dressed = JITTERED.model_copy(update={"title": "Mine", "text": "waiting", "cut_at": 5})
    run = await planner.run([dressed])
    assert run.schedule is first.schedule
    assert run.specs == (dressed,)
    assert run.texts != first.texts
    assert len(made) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"tokens": 2_999},
        {"delay_ms": Decimal(11)},
        {"burst": 2},
        {"delivery": "whole"},
        {"fail_at": 5},
    ],
    ids=str,
)
async def test_other_settings_get_a_plan_of_their_own(made: Made, other: dict[str, object]) -> None:
    planner, spec = Planner(), JITTERED.model_copy(update=other)
    await planner.run([JITTERED])
    assert (await planner.run([spec])).schedule == plan([spec])
    assert len(made) == 2


async def test_where_the_first_who_asked_leaves_another_makes_the_plan(made: Made) -> None:
    planner, leaving, runs = Planner(), anyio.CancelScope(), list[Run]()

    async def first() -> None:
        with leaving:
            await planner.run(LARGE)

    async def another() -> None:
        runs.append(await planner.run(LARGE))

    async with anyio.create_task_group() as group:
        group.start_soon(first)
        while not made:
            await anyio.lowlevel.checkpoint()
        for _ in range(3):
            group.start_soon(another)
        await anyio.lowlevel.checkpoint()
        leaving.cancel()
        group.cancel_scope.deadline = (
            anyio.current_time() + 1
        )  # where no one makes the plan, all would wait for ever
    assert leaving.cancelled_caught
    assert len(made) == 2
    assert [run.schedule == plan(LARGE) for run in runs] == [True] * 3


async def test_only_the_latest_plans_are_kept(made: Made) -> None:
    planner = Planner()
    specs = [LaneSpec(tokens=10_000, growth_ms=Decimal(number) / 1000) for number in range(100)]
    for spec in specs:
        await planner.run([spec])
    made.clear()
    await planner.run([specs[-1]])
    assert made == []
    await planner.run([specs[0]])
    assert len(made) == 1  # a hundred of them would be a million steps


async def test_a_plan_that_is_asked_for_again_stays(made: Made) -> None:
    planner = Planner()
    for number in range(100):
        await planner.run([LaneSpec(tokens=10_000, growth_ms=Decimal(number) / 1000)])
        await planner.run([JITTERED])
    assert len(made) == 101


async def turns_of_others_while(*runs: list[LaneSpec]) -> int:
    """Make these plans at once, and count how often somebody else has a turn meanwhile."""
    turns, planner = 0, Planner()

    async def another() -> None:
        nonlocal turns
        while True:
            turns += 1
            await anyio.lowlevel.checkpoint()

    async with anyio.create_task_group() as group:
        group.start_soon(another)
        async with anyio.create_task_group() as planning:
            for specs in runs:
                planning.start_soon(planner.run, specs)
        group.cancel_scope.cancel()
    return turns


async def test_others_run_while_a_large_plan_is_made() -> None:
    assert await turns_of_others_while(LARGE) >= 40  # 40,000 draws, at most 1,000 in a turn


async def test_two_large_plans_take_turns_so_that_others_wait_for_one_slice_only() -> None:
    other = [spec.model_copy(update={"seed": 9}) for spec in LARGE]
    assert await turns_of_others_while(LARGE, other) >= 80


async def test_only_some_hundred_plans_are_kept_however_small() -> None:
    planner = Planner()
    first = (await planner.run([LaneSpec(seed=0)])).schedule
    for seed in range(1, 256):
        await planner.run([LaneSpec(seed=seed)])
    assert (await planner.run([LaneSpec(seed=0)])).schedule is first
    for seed in range(256, 512):
        await planner.run([LaneSpec(seed=seed)])
    assert (await planner.run([LaneSpec(seed=0)])).schedule is not first

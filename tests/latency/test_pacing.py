"""pace(), in exact virtual time: never early, never shifted, nothing dropped, and gone soon when asked to stop."""

from collections.abc import Sequence
from decimal import Decimal

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.latency.pacing import AT_ONCE, RunClock, pace
from server.latency.schedule import Schedule, Step, plan
from server.latency.spec import LaneSpec
from tests.specs import runs

NOW_US = 1_764_000_000_000_000
TEN_MS = LaneSpec(tokens=100, delay_ms=Decimal(10))

Release = tuple[list[Step], int]


async def released(
    schedule: Schedule, busy_us: Sequence[int] = (), clock: RunClock | None = None, stop: anyio.Event | None = None
) -> list[Release]:
    """Pace a schedule for a consumer that is busy for so long after each release (then no more)."""
    releases: list[Release] = []
    async for steps, sent_us in pace(schedule.steps(), clock or RunClock.start(NOW_US), stop or anyio.Event()):
        releases.append((steps, sent_us))
        if len(releases) <= len(busy_us):
            await anyio.sleep(busy_us[len(releases) - 1] / 1e6)
    return releases


async def test_each_token_is_released_exactly_when_it_is_due() -> None:
    releases = await released(plan([TEN_MS]))
    # The end is due with the last token, and comes with it.
    assert [sent_us for _, sent_us in releases] == [10_000 * k for k in range(1, 101)]
    assert [len(steps) for steps, _ in releases] == [1] * 99 + [2]
    assert anyio.current_time() == pytest.approx(1.0, abs=1e-9)


async def test_what_is_late_is_released_together_and_the_schedule_does_not_shift() -> None:
    releases = await released(plan([TEN_MS]), busy_us=[55_000])
    sent = [([step.i for step in steps], sent_us) for steps, sent_us in releases[:4]]
    assert sent == [([0], 10_000), ([1, 2, 3, 4, 5], 65_000), ([6], 70_000), ([7], 80_000)]
    assert releases[-1][1] == 1_000_000


@given(runs(), st.lists(st.integers(0, 200_000), max_size=20))
async def test_nothing_is_early_and_nothing_later_than_it_must_be(
    specs: list[LaneSpec], busy_us: list[int]
) -> None:
    schedule = plan(specs)
    releases = await released(schedule, busy_us)
    assert [step for steps, _ in releases for step in steps] == list(schedule.steps())
    free_us = 0  # when the consumer asked for more
    for number, (steps, sent_us) in enumerate(releases):
        assert max(step.due_us for step in steps) <= sent_us == max(steps[0].due_us, free_us)
        free_us = sent_us + (busy_us[number] if number < len(busy_us) else 0)


async def test_a_burst_comes_in_pieces_and_others_run_between_them() -> None:
    schedule = plan([LaneSpec(tokens=10_000, delay_ms=Decimal(0))])
    order: list[str] = []

    async def stream(name: str) -> None:
        async for steps, _ in pace(schedule.steps(), RunClock.start(NOW_US), anyio.Event()):
            assert len(steps) <= AT_ONCE
            order.append(name)

    async with anyio.create_task_group() as group:
        for name in "abcde":
            group.start_soon(stream, name)

    pieces = -(-10_001 // AT_ONCE)
    assert len(order) == 5 * pieces
    assert pieces >= 20
    # All five take part in each fifth of it: none runs away from the others.
    assert all(set(order[start : start + pieces]) == set("abcde") for start in range(0, len(order), pieces))


async def test_a_long_gap_ends_soon_after_the_server_begins_to_stop() -> None:
    stop = anyio.Event()
    schedule = plan([LaneSpec(tokens=2, delay_ms=Decimal(10), stall_at=2, stall_ms=Decimal(60_000))])
    async with anyio.create_task_group() as group:

        async def stop_after_20_s() -> None:
            await anyio.sleep(20)
            stop.set()

        group.start_soon(stop_after_20_s)
        releases = await released(schedule, stop=stop)
    assert [[step.i for step in steps] for steps, _ in releases] == [[0]]
    assert 20 <= anyio.current_time() <= 20.5


async def test_nothing_is_released_once_the_server_stops_not_even_what_is_due() -> None:
    stop = anyio.Event()
    stop.set()
    assert await released(plan([LaneSpec(delay_ms=Decimal(0))]), stop=stop) == []
    assert anyio.current_time() == 0


async def test_a_long_gap_changes_no_due_time() -> None:
    spec = LaneSpec(tokens=2, delay_ms=Decimal("0.007"), stall_at=2, stall_ms=Decimal("59999.999"))
    assert [sent_us for _, sent_us in await released(plan([spec]))] == [7, 60_000_013]


@pytest.mark.parametrize(
    ("started_us_ago", "delivered", "elapsed_us"),
    [
        (250_000, 20, 250_000),  # the wall clocks agree
        (60_250_000, 20, 60_250_000),  # this one is a minute ahead
        (-59_750_000, 20, 200_000),  # a minute behind: not before the last token that was delivered
        (199_999, 20, 200_000),
        (-59_750_000, 0, 0),  # nothing delivered: not before the start
        (NOW_US, 0, NOW_US),  # an id that says it started in 1970
        (NOW_US - (10**16 - 1), 100, 1_000_000),  # or in 2286
    ],
)
async def test_a_resumed_run_goes_on_its_own_clock(started_us_ago: int, delivered: int, elapsed_us: int) -> None:
    await anyio.sleep(1234.5)  # this process has run for a while
    clock = RunClock.resume(NOW_US - started_us_ago, NOW_US, plan([TEN_MS]), delivered)
    assert clock.started_at_us == NOW_US - started_us_ago
    assert clock.elapsed_us(anyio.current_time()) == elapsed_us
    await anyio.sleep(1)
    assert clock.elapsed_us(anyio.current_time()) == elapsed_us + 1_000_000
    assert clock.deadline(0) == pytest.approx(1234.5 - elapsed_us / 1e6, abs=1e-6)


async def test_a_run_counts_from_when_it_was_asked_for_and_what_delayed_its_start_shifts_nothing() -> None:
    asked_at = anyio.current_time()
    await anyio.sleep(0.025)
    clock = RunClock.start(NOW_US, asked_at)
    assert clock.started_at_us == NOW_US - 25_000
    releases = await released(plan([TEN_MS]), clock=clock)
    sent = [([step.i for step in steps], sent_us) for steps, sent_us in releases]
    assert sent[:3] == [([0, 1], 25_000), ([2], 30_000), ([3], 40_000)]
    assert sent[-1][1] == 1_000_000

"""LaneSpecs → Schedule: when every token of a run is due, in whole microseconds, before anything is sent.

Pure and exact: the same specs give the same schedule on any worker or machine. The six steps of a lane stand
in `_plan_lane` in their order, each on the result of the one before; a recording takes the place of the first.
"""

import random
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import NamedTuple

from .spec import MAX_LANES, LaneSpec, us

_DRAWS_A_SLICE = 1_000  # 1,000 gamma draws take about 1.5 ms; a slice must not hold up streams beside it


class Step(NamedTuple):
    """One thing that falls due: token `i` (from 0) of a lane, or the lane's end after its `i` tokens."""

    lane: int
    i: int
    due_us: int
    is_end: bool


@dataclass(frozen=True, slots=True)
class LanePlan:
    """When a lane's tokens are due (µs since the run started, never falling), and when it ends, and how."""

    due_us: tuple[int, ...]
    end_us: int
    fails: bool


@dataclass(frozen=True, slots=True)
class Schedule:
    """The whole plan of a run. `order` names the lane of each step in time; a lane's last step is its end."""

    lanes: tuple[LanePlan, ...]
    order: bytes

    @property
    def tokens(self) -> int:
        """How many tokens the run sends."""
        return len(self.order) - len(self.lanes)

    def steps(self, delivered: int = 0) -> Iterator[Step]:
        """Yield the steps in order, without the first `delivered` tokens; ends that are past come first."""
        place, passed = self._after(delivered)
        for lane, plan in enumerate(self.lanes):
            if passed[lane] > len(plan.due_us):
                yield Step(lane, len(plan.due_us), plan.end_us, True)
        for lane in self.order[place:]:
            plan, i = self.lanes[lane], passed[lane]
            passed[lane] += 1
            is_end = i == len(plan.due_us)
            yield Step(lane, i, plan.end_us if is_end else plan.due_us[i], is_end)

    def last_due_us(self, delivered: int) -> int:
        """Return when the last of the first `delivered` tokens was due; 0 if there are none."""
        _, passed = self._after(delivered)
        lasts = (plan.due_us[:count][-1:] for plan, count in zip(self.lanes, passed, strict=True))
        return max((due for last in lasts for due in last), default=0)

    def _after(self, delivered: int) -> tuple[int, list[int]]:
        """Return the place in `order` after `delivered` tokens, and how many steps of each lane are before it.

        Between tokens stand at most as many ends as there are lanes, so counting in C finds the place at once.
        """
        for place in range(delivered, len(self.order)):
            passed = [self.order.count(lane, 0, place) for lane in range(len(self.lanes))]
            tokens = sum(min(n, len(plan.due_us)) for n, plan in zip(passed, self.lanes, strict=True))
            if tokens == delivered:
                return place, passed
        raise ValueError(f"delivered must be at most {self.tokens:,}, but was {delivered:,}")


def plan(specs: Sequence[LaneSpec]) -> Schedule:
    """Return the schedule of a run of one to four lanes."""
    slices = plan_in_slices(specs)
    while True:
        try:
            next(slices)
        except StopIteration as finished:
            schedule: Schedule = finished.value
            return schedule


def plan_in_slices(specs: Sequence[LaneSpec]) -> Generator[None, None, Schedule]:
    """Make the schedule in slices of a few milliseconds: yields between them, returns the schedule."""
    lanes: list[LanePlan] = []
    keys: list[int] = []
    for number, spec in enumerate(specs):
        lane = yield from _plan_lane(spec)
        lanes.append(lane)
        # Sorted as plain integers (due, lane) in one C call. Within a lane equal keys keep their order, and the
        # end comes last, so the lanes' numbers alone say which step is which.
        keys += [due * MAX_LANES + number for due in (*lane.due_us, lane.end_us)]
        yield
    keys.sort()
    yield
    return Schedule(tuple(lanes), bytes(key % MAX_LANES for key in keys))


def _plan_lane(spec: LaneSpec) -> Generator[None, None, LanePlan]:
    first = us(spec.first_due_ms)
    if spec.recorded:
        due = list(spec.recorded.arrivals_us[: spec.tokens])
    else:
        gaps = yield from _gaps_us(spec)
        due = list(accumulate(gaps, initial=first))
    due = _stall(due, spec)
    due = due[: spec.fail_at]
    due = _burst(due, spec.burst)
    yield
    flush = us(spec.flush_ms)
    due = [_flush(time, flush) for time in due]
    end = due[-1] if due else _flush(first, flush)
    fails = spec.fail_at is not None
    if spec.delivery == "whole":
        due = [] if fails else [end] * len(due)
    return LanePlan(tuple(due), end, fails)


def _gaps_us(spec: LaneSpec) -> Generator[None, None, list[int]]:
    """Return the n − 1 gaps; the one before token i (from 1) is longer by growth · (i − 1)."""
    count = spec.tokens - 1
    delay, growth = us(spec.delay_ms), us(spec.growth_ms)
    gaps = [delay] * count
    if spec.jitter and delay:
        # The lane's place never enters the seed, so twins are identical.
        draw = random.Random(spec.seed).gammavariate
        shape = 1 / float(spec.jitter) ** 2
        scale = delay / shape
        for start in range(0, count, _DRAWS_A_SLICE):
            stop = min(start + _DRAWS_A_SLICE, count)
            gaps[start:stop] = [round(draw(shape, scale)) for _ in range(start, stop)]
            yield
    if growth:
        gaps = [gap + growth * i for i, gap in enumerate(gaps, start=1)]
    return gaps


def _stall(due: list[int], spec: LaneSpec) -> list[int]:
    if spec.stall_at is None or spec.stall_ms is None:
        return due
    before, pause = spec.stall_at - 1, us(spec.stall_ms)
    return due[:before] + [time + pause for time in due[before:]]


def _burst(due: list[int], size: int) -> list[int]:
    """Release the first token alone (it is what TTFT means), then groups of `size`, each due with its last."""
    last = len(due) - 1
    return [due[min(-(-i // size) * size, last)] for i in range(len(due))]


def _flush(time: int, every: int) -> int:
    """Hold back until the next multiple of `every`; an exact multiple stays."""
    return -(-time // every) * every if every else time

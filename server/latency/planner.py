"""Planner: makes each schedule once, in slices, so that the streams beside it stay on time."""

from collections import OrderedDict
from collections.abc import Sequence

import anyio

from .run import Run
from .schedule import Schedule, plan_in_slices
from .spec import LaneSpec
from .tokens import built_in, tokens_of


class Planner:
    """Makes runs. Keeps the latest schedules, and lets those who ask for the same one wait for the first."""

    _KEPT_STEPS = 400_000  # in all schedules kept; about 40 bytes a step

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[LaneSpec, ...], Schedule] = OrderedDict()
        self._making: dict[tuple[LaneSpec, ...], anyio.Event] = {}

    async def run(self, specs: Sequence[LaneSpec], say: str = "") -> Run:
        """Plan the lanes; `say` replaces their built-in texts."""
        # Titles and texts change no due time; leaving them out of the key lets more runs share a schedule.
        key = tuple(spec.model_copy(update={"title": "", "text": "", "cut_at": None}) for spec in specs)
        schedule = await self._schedule(key)
        texts = (tokens_of(say or built_in(spec.text), spec.tokens) for spec in specs)
        return Run(tuple(specs), schedule, tuple(texts))

    async def _schedule(self, key: tuple[LaneSpec, ...]) -> Schedule:
        while key in self._making:
            await self._making[key].wait()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        ready = self._making[key] = anyio.Event()
        try:
            schedule = self._kept[key] = await _in_turns(key)
        finally:  # also when whoever asked first has left: then the next one makes it
            del self._making[key]
            ready.set()
        self._forget_oldest()
        return schedule

    def _forget_oldest(self) -> None:
        while sum(len(kept.order) for kept in self._kept.values()) > self._KEPT_STEPS:
            self._kept.popitem(last=False)


async def _in_turns(specs: Sequence[LaneSpec]) -> Schedule:
    """Plan, and let the streams beside it run between two slices."""
    slices = plan_in_slices(specs)
    while True:
        try:
            next(slices)
        except StopIteration as finished:
            schedule: Schedule = finished.value
            return schedule
        await anyio.lowlevel.checkpoint()

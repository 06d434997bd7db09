"""Planner: makes each schedule once, in slices, so that the streams beside it stay on time."""

from collections import OrderedDict
from collections.abc import Sequence

import anyio

from .offered import NOTHING, Offered
from .run import Run
from .schedule import Schedule, plan, plan_in_slices
from .spec import LaneSpec
from .texts import texts_of


class Planner:
    """Makes runs. Keeps the latest schedules, and lets those who ask for the same one wait for the first."""

    _KEPT = 256  # schedules
    _KEPT_STEPS = 400_000  # in all of them; about 40 bytes a step
    _SMALL = 1_000  # tokens; planned in a single slice of about 1.5 ms

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[LaneSpec, ...], Schedule] = OrderedDict()
        self._kept_steps = 0
        self._making: dict[tuple[LaneSpec, ...], anyio.Event] = {}
        self._turn = anyio.Lock()

    async def run(self, specs: Sequence[LaneSpec], say: str = "", offered: Offered = NOTHING) -> Run:
        """Plan the lanes; `say` replaces the texts that they name."""
        # Titles and texts change no due time; leaving them out of the key lets more runs share a schedule. What a
        # recording holds is in the key, because its file may change.
        key = tuple(spec.model_copy(update={"title": "", "text": "", "cut_at": None}) for spec in specs)
        schedule = await self._schedule(key)
        return Run(tuple(specs), schedule, tuple(texts_of(spec, say, offered) for spec in specs))

    async def _schedule(self, key: tuple[LaneSpec, ...]) -> Schedule:
        while key in self._making:
            await self._making[key].wait()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        ready = self._making[key] = anyio.Event()
        try:
            schedule = await self._make(key)
        finally:  # also when whoever asked first has left: then the next one makes it
            del self._making[key]
            ready.set()
        self._keep(key, schedule)
        return schedule

    async def _make(self, specs: Sequence[LaneSpec]) -> Schedule:
        """Plan in slices, and let the streams beside it run between two; of several large plans one at a time."""
        if sum(spec.tokens for spec in specs) <= self._SMALL:
            return plan(specs)
        slices = plan_in_slices(specs)
        while True:
            async with self._turn:
                try:
                    next(slices)
                except StopIteration as finished:
                    schedule: Schedule = finished.value
                    return schedule
                await anyio.lowlevel.checkpoint()

    def _keep(self, key: tuple[LaneSpec, ...], schedule: Schedule) -> None:
        self._kept[key] = schedule
        self._kept_steps += len(schedule.order)
        while len(self._kept) > self._KEPT or self._kept_steps > self._KEPT_STEPS:
            _, oldest = self._kept.popitem(last=False)
            self._kept_steps -= len(oldest.order)

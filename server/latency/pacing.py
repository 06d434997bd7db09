"""Releases what is due, by deadline: the only module that sleeps, and the only one with a clock.

Every deadline counts from the start of the run, so being late once never makes anything after it late: sleeping
relative to the token before would (100 tokens at 10 ms then take 1.05–1.17 s).
"""

from collections.abc import AsyncGenerator, Iterator
from dataclasses import dataclass

import anyio

from .schedule import Schedule, Step

AT_ONCE = 256  # steps released in one go; the loop awaits between, so that a burst never blocks the server
_SHORT_S = 0.05  # a gap this short is slept through: waiting for `stop` with a timeout costs twice as much


@dataclass(frozen=True, slots=True)
class RunClock:
    """Time since a run started: the wall clock is read once, the time that passes is monotonic."""

    started_at_us: int  # since the epoch; goes out in the id, so that any server can resume the run
    began_us: int  # since the start, when this connection began
    _zero: float  # of anyio.current_time(), seconds

    @classmethod
    def start(cls, now_us: int, asked_at: float | None = None) -> "RunClock":
        """Start a run when it was asked for (on anyio's clock, seconds), or now, `now_us` after the epoch.

        What is done before the first token then makes that one late, and nothing after it.
        """
        now = anyio.current_time()
        zero = now if asked_at is None else asked_at
        return cls(now_us - round((now - zero) * 1e6), 0, zero)

    @classmethod
    def resume(cls, started_at_us: int, now_us: int, schedule: Schedule, delivered: int) -> "RunClock":
        """Go on with a run that started at `started_at_us`, of which `delivered` tokens have arrived.

        The machine that answers may have another wall clock than the one that began, so time never goes back
        behind the last token that was delivered.
        """
        elapsed_us = max(now_us - started_at_us, schedule.last_due_us(delivered), 0)
        return cls(started_at_us, elapsed_us, anyio.current_time() - elapsed_us / 1e6)

    def deadline(self, due_us: int) -> float:
        """Return when something due `due_us` after the start falls due, on anyio's clock (seconds)."""
        return self._zero + due_us / 1e6

    def elapsed_us(self, now: float) -> int:
        """Return the µs from the start to `now` on anyio's clock."""
        return round((now - self._zero) * 1e6)

    def late_us(self, due_us: int, sent_us: int) -> int:
        """Return how late something was sent; what fell due before this connection began is due when it did."""
        return sent_us - max(due_us, self.began_us)


async def pace(
    steps: Iterator[Step], clock: RunClock, stop: anyio.Event
) -> AsyncGenerator[tuple[list[Step], int], None]:
    """Yield steps as they fall due, those that are due together in one list, with the time they were released.

    Never early; what is late is released at once, and nothing is dropped. The time is in µs since the run
    started. Returns when all are released, or soon after `stop` is set.
    """
    step = next(steps, None)
    while step is not None:
        now = await _until(clock.deadline(step.due_us), stop)
        if stop.is_set():
            return
        released: list[Step] = []
        while step is not None and clock.deadline(step.due_us) <= now and len(released) < AT_ONCE:
            released.append(step)
            step = next(steps, None)
        yield released, clock.elapsed_us(now)


async def _until(deadline: float, stop: anyio.Event) -> float:
    """Wait for the deadline or for `stop`, and return the time; with nothing to wait for, let others run."""
    now = anyio.current_time()
    while not stop.is_set():
        left = deadline - now
        if left > _SHORT_S:
            with anyio.CancelScope(deadline=deadline):
                await stop.wait()
        else:
            await anyio.sleep(max(left, 0))
        now = anyio.current_time()
        if now >= deadline:
            break
    return now

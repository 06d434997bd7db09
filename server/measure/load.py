"""Load: so many requests, so many at a time."""

from collections.abc import Callable
from typing import Protocol

import anyio

from .answer import Answer, Attempt
from .failure import Failure


class Source(Protocol):
    """What can be asked again and again, for a number of lanes."""

    lanes: int

    async def receive(self, attempt: Attempt) -> None:
        """Fill in what comes. Raises Failure."""


async def make(
    source: Source, requests: int, concurrency: int, attempts: list[Attempt], on_end: Callable[[], None]
) -> None:
    """Add an attempt for each request that is made, and tell its end; what fails says so in its attempt."""

    async def work() -> None:
        while len(attempts) < requests:
            attempt = Attempt([Answer() for _ in range(source.lanes)])
            attempts.append(attempt)
            await _complete(source, attempt)
            on_end()

    async with anyio.create_task_group() as workers:
        for _ in range(min(requests, concurrency)):
            workers.start_soon(work)


async def _complete(source: Source, attempt: Attempt) -> None:
    try:
        await source.receive(attempt)
    except Failure as failure:
        attempt.fail(failure)
    else:
        attempt.fail(Failure("cut", "the stream ended before the answer did"))

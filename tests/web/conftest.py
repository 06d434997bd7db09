"""Every async test here runs on trio with a virtual clock of its own, which starts at 0."""

from collections.abc import Callable
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import hypothesis
import pytest
from starlette.applications import Starlette
from trio.testing import MockClock

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import Wall

# The machine may be busy, so no example has a deadline; and everyone's run tries the same examples.
hypothesis.settings.register_profile("exact", deadline=None, derandomize=True)
hypothesis.settings.load_profile("exact")

T = TypeVar("T")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Time passes only while every task waits, and then it jumps to where the next one wakes."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}


@pytest.fixture(autouse=True)
def no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do in place what is meant for a thread: while one works every task may wait, and time would jump ahead."""

    async def run_sync(function: Callable[..., T], *args: object, **options: object) -> T:
        await anyio.lowlevel.checkpoint()
        return function(*args)

    monkeypatch.setattr(anyio.to_thread, "run_sync", run_sync)


@pytest.fixture
def wall() -> Wall:
    """The server's wall clock."""
    return Wall()


@pytest.fixture
def app(wall: Wall) -> Starlette:
    """The whole app."""
    return create_app(Settings(), now_us=wall)

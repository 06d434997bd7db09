"""Every async test here runs on trio with a virtual clock of its own, which starts at 0."""

from typing import Any

import pytest
from trio.testing import MockClock


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Time passes only while every task waits, and then it jumps to where the next one wakes."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}


@pytest.fixture(autouse=True)
def _surroundings(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine may have a proxy, which these tests must not ask, and a key, which they must not send."""
    monkeypatch.setenv("NO_PROXY", "*")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

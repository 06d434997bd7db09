"""Every async test here runs on trio with a virtual clock of its own, which starts at 0."""

from typing import Any

import hypothesis
import pytest
from trio.testing import MockClock

# The machine may be busy, so no example has a deadline; and everyone's run tries the same examples.
hypothesis.settings.register_profile("exact", deadline=None, derandomize=True)
hypothesis.settings.load_profile("exact")


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    """Time passes only while every task waits, and then it jumps to where the next one wakes."""
    return "trio", {"clock": MockClock(autojump_threshold=0)}

"""What tests of decks share: a folder to write them into, and what a deck needs at least."""

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# The machine may be busy, so no example has a deadline; and everyone's run tries the same examples.
hypothesis.settings.register_profile("exact", deadline=None, derandomize=True)
hypothesis.settings.load_profile("exact")

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file, such as `write("title = 'x'", name="b.toml")`; `mine.toml` unless told otherwise."""

    def write(content: str | bytes, name: str = "mine.toml") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write

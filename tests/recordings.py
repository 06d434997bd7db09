"""Recordings for tests: of arrivals in ms, each token's text of its own."""

import os
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from server.latency.lane import read_lane
from server.latency.offered import Offered
from server.latency.spec import LaneSpec
from server.recording import Recording
from server.recordings import recorded

Ms = str | int | Decimal


def recording(arrivals_ms: Sequence[Ms], **instead: Any) -> Recording:
    """A recording of tokens that came then; exact where these are whole numbers, text or decimals."""
    tokens = [{"text": f" {i}", "arrival_ms": Decimal(ms)} for i, ms in enumerate(arrivals_ms)]
    head = {
        "format": "trickle-recording",
        "format_version": 1,
        "source": "http://127.0.0.1:11434/v1",
        "model": "llama3",
        "recorded_at": "2026-11-30T21:00:00Z",
        "ended": "done",
    }
    return Recording.model_validate({**head, "tokens": tokens} | instead)


def offering(of: Recording, name: str = "llama") -> Offered:
    """A server that has it."""
    return Offered(recordings={name: recorded(of)})


def lane(text: str, of: Recording) -> LaneSpec:
    """A lane as the URL has it, where `llama` is that recording."""
    return read_lane(text, 0, offering(of))


def save(folder: Path, name: str, content: str | Recording) -> Path:
    """Save as `trickle measure --save` does, at another time even where clocks are coarse."""
    path = folder / name
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.write_text(content if isinstance(content, str) else content.json_text())
    os.utime(path, ns=(before + 1_000_000_000, before + 1_000_000_000))
    return path


def recordings() -> st.SearchStrategy[Recording]:
    """Any: of one token or several, with gaps of nothing, of microseconds and of minutes."""
    us = st.one_of(st.integers(0, 5), st.integers(0, 100_000), st.integers(0, 600_000_000))
    arrivals = st.lists(us, min_size=1, max_size=12).map(sorted)
    ended = st.sampled_from(["done", "done", "failed", "cut", "stopped"])
    return st.builds(
        lambda arrivals, ended: recording([Decimal(us) / 1000 for us in arrivals], ended=ended), arrivals, ended
    )

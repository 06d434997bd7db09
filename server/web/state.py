"""What the whole app shares: settings, library, assets, planner, places, room, counts, its end, the wall clock."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast

import anyio
from starlette.requests import Request

from ..latency.planner import Planner
from ..scenes.library import Library
from ..settings import Settings
from .admission import Admission
from .assets import Assets
from .metrics import Metrics
from .openai.room import Room


def wall_clock_us() -> int:
    """Return the time since the epoch in µs."""
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class AppState:
    """Nothing in here belongs to a run: any worker or machine can answer any request."""

    settings: Settings
    library: Library
    assets: Assets
    now_us: Callable[[], int]
    admission: Admission
    metrics: Metrics = field(default_factory=Metrics)
    planner: Planner = field(default_factory=Planner)
    room: Room = field(default_factory=Room)
    stopping: anyio.Event = field(default_factory=anyio.Event)


def state_of(request: Request) -> AppState:
    """Return the shared state of the app that a request came to."""
    return cast(AppState, request.app.state.trickle)

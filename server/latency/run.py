"""Run: one to four lanes that start together, with every text and due time known before the first byte."""

from dataclasses import dataclass

from .schedule import Schedule
from .spec import LaneSpec


@dataclass(frozen=True, slots=True)
class Run:
    """What is sent (`texts[lane][i]`), and when (`schedule`)."""

    specs: tuple[LaneSpec, ...]
    schedule: Schedule
    texts: tuple[tuple[str, ...], ...]

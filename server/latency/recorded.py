"""Recorded: what a lane plays of a recording, its times in whole microseconds."""

from dataclasses import dataclass
from decimal import Decimal

_MAX_TITLE = 40  # characters, as in LaneSpec

# How a recording ended that has not all of its answer.
_BROKE_OFF = {
    "failed": "the model failed",
    "cut": "the connection was cut",
    "stopped": "the recording was stopped",
}


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """Each token's text and arrival (never falling), at least one; and what is known of where they came from.

    Two are the same only if they are one, so that a schedule which is kept for one is not taken for another.
    """

    texts: tuple[str, ...]
    arrivals_us: tuple[int, ...]
    model: str
    source: str
    recorded_at: str
    ended: str

    @property
    def title(self) -> str:
        """The model's name, as a title may be; "" where it has none."""
        return " ".join(self.model.replace(",", " ").split())[:_MAX_TITLE].strip()

    @property
    def ttft_ms(self) -> Decimal:
        """When the first token came."""
        return Decimal(self.arrivals_us[0]) / 1000

    @property
    def gap_ms(self) -> Decimal:
        """The mean gap, to the microsecond; 0 for one token."""
        first, *_, last = (self.arrivals_us[0], *self.arrivals_us)
        return Decimal(round((last - first) / max(1, len(self.texts) - 1))) / 1000

    @property
    def broke_off(self) -> str:
        """What ended it before its answer was whole; "" where nothing did."""
        return _BROKE_OFF.get(self.ended, "")

    def __str__(self) -> str:
        model = self.model or "A model without a name"
        end = f", then {self.broke_off}" if self.broke_off else ""
        return f"{model}, recorded from {self.source} at {self.recorded_at}: {len(self.texts):,} tokens{end}"

"""Problem: one wrong field, told in the same words wherever it stood: in a URL or in a deck."""

from dataclasses import asdict, dataclass
from typing import Any

_SHOWN = 100  # characters of a wrong name or value; a visitor may send thousands


@dataclass(frozen=True, slots=True)
class Problem:
    """What was given, what is allowed, and where (`lane` counts from 0, None outside lanes)."""

    field: str
    value: str
    range: str
    lane: int | None = None
    reason: str = ""

    def __str__(self) -> str:
        where = cut(self.field) if self.lane is None else f"lane {self.lane + 1}: {cut(self.field)}"
        given = f'"{cut(self.value)}"'
        why = f" ({self.reason})" if self.reason else ""
        return f"{where} must be {self.range}, but was {given}{why}"

    def wire(self) -> dict[str, Any]:
        """Return it as JSON has it, with the sentence as `detail`."""
        shown = {"field": cut(self.field), "value": self.value[:_SHOWN]}
        return asdict(self) | shown | {"detail": str(self)}


def text_of(value: object) -> str:
    """Return as text what a file had in the place of something else."""
    try:
        return str(value)
    except (RecursionError, ValueError):  # a thousand tables in one another; 5,000 hexadecimal digits
        return "more than can be shown"


def cut(text: str, most: int = _SHOWN) -> str:
    """Shorten what somebody sent, for a sentence about it, which no sign in there may break."""
    shown = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text[:most])
    return shown if len(text) <= most else f"{shown}…"

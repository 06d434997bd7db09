"""What a pydantic field allows, as numbers and in words: forms, error messages and options all ask here."""

from typing import Any

from pydantic.fields import FieldInfo


def bounds_of(field: FieldInfo) -> dict[str, Any]:
    """Return those of `ge`, `le` and `max_length` that the field has."""
    names = ("ge", "le", "max_length")
    return {name: getattr(item, name) for item in field.metadata for name in names if hasattr(item, name)}


def number_range(low: int, high: int | str, decimals: bool = False) -> str:
    """Return a range in words: "a whole number from 1 to 10,000"."""
    kind, suffix = ("number", ", with at most three decimals") if decimals else ("whole number", "")
    top = high if isinstance(high, str) else f"{high:,}"
    return f"a {kind} from {low:,} to {top}{suffix}"

"""Placeholders: what a scene leaves open for measured numbers, so that no claim is made up.

`{2.whole}` is a measure of one lane (from 1, as people count), `{2.whole/1.whole}` how many times as much. Here
they are only checked; the page fills them in.
"""

import re

# Each measure with its unit. The page writes both, and "–" for what a run did not give.
MEASURES = {
    "first": "ms",  # until the first token was seen
    "whole": "ms",  # until the whole answer was here
    "pause": "ms",  # the longest between two tokens
    "at100": "tokens",  # here at 100 ms
    "tokens": "tokens",  # that came
    "rate": "tokens/s",  # from the first token to the last
}

_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_MEASURE = r"([1-9])\.([a-z0-9]+)"
_PLACEHOLDER = re.compile(rf"\{{{_MEASURE}(?:/{_MEASURE})?\}}")


def wrong_placeholders(text: str, lanes: int) -> list[str]:
    """Return what stands in braces, or a brace by itself, and is no measure of one of so many lanes."""
    return [found for found in _BRACES.findall(text) if not _is_right(found, lanes)]


def allowed_placeholders(lanes: int) -> str:
    """Say what may stand in braces."""
    if not lanes:
        return "text without braces, because the scene has no lanes"
    numbers = "1" if lanes == 1 else f"1 to {lanes}"
    measures = ", ".join(MEASURES)
    return (
        f"filled in by {{LANE.MEASURE}}, or by two of one unit as in {{2.whole/1.whole}}, "
        f"where LANE is {numbers} and MEASURE one of {measures}"
    )


def _is_right(found: str, lanes: int) -> bool:
    match = _PLACEHOLDER.fullmatch(found)
    if match is None:
        return False
    lane, measure, other_lane, other_measure = match.groups()
    units = {MEASURES.get(measure), MEASURES.get(other_measure or measure)}
    return max(int(lane), int(other_lane or 1)) <= lanes and len(units) == 1 and None not in units

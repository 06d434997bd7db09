"""A lane as it is written, in the URL and in decks → LaneSpec, or every problem in it at once.

It is `name:value` pairs joined by commas; a first `preset:NAME` gives what the others leave open.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from ..problem import Problem
from .offered import NOTHING, Offered
from .presets import PRESETS
from .spec import REASONS, LaneSpec, settings_with

_MAX_SETTINGS = 20  # more in a lane are one problem: thousands would be an answer of megabytes


class BadLane(Exception):
    """A lane that can't be understood: holds every problem in it."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = tuple(problems)


def read_lane(
    text: str, lane: int | None, offered: Offered = NOTHING, instead: Mapping[str, object] | None = None
) -> LaneSpec:
    """Read the lane of that number (from 0, None where it has none). Raises BadLane.

    It may name what is built in or offered. Settings of `instead` replace those that are written.
    """
    if text.count(",") >= _MAX_SETTINGS:
        raise BadLane([Problem("lane", text, f"at most {_MAX_SETTINGS} settings", lane)])
    pairs = [pair.partition(":") for pair in text.split(",")] if text else []
    problems = [
        Problem(name.strip() or "a setting", name, "written as name:value, with one comma between two", lane)
        for name, colon, _ in pairs
        if not colon
    ]
    counts = Counter(name for name, _, _ in pairs)
    problems += [Problem(name, f"{n} times", "given once", lane) for name, n in counts.items() if n > 1]
    settings = {name: value for name, colon, value in pairs if colon and name != "preset"}
    presets = [(place, value) for place, (name, colon, value) in enumerate(pairs) if name == "preset" and colon]
    for place, value in presets:
        if "recording" in settings:
            problems.append(Problem("preset", value, "left out beside a recording", lane))
        elif place == 0 and value in PRESETS:
            settings = PRESETS[value].settings | settings
        else:
            known = ", ".join(PRESETS)
            problems.append(Problem("preset", value, f"the first in its lane, and one of {known}", lane))
    try:
        spec = LaneSpec.model_validate(settings | dict(instead or {}), context=offered)
    except ValidationError as exc:
        raise BadLane([*problems, *(_problem(error, lane, offered) for error in exc.errors())]) from None
    if problems:
        raise BadLane(problems)
    return spec.playing(offered)


def _problem(error: ErrorDetails, lane: int | None, offered: Offered) -> Problem:
    """Say a pydantic error in our words: the bounds are named by the setting itself."""
    name = str(error["loc"][0])
    value = "" if error["input"] is None else str(error["input"])
    settings = settings_with(offered)
    if name not in settings:
        return Problem(name, value, f"left out, or one of {', '.join(settings)}", lane)
    if error["type"] == "beside_a_recording":
        return Problem(name, value, error["msg"], lane)
    reason = error["msg"] if error["type"] in REASONS else ""
    return Problem(name, value, settings[name].range, lane, reason)

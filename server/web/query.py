"""Query text → LaneSpecs, or every problem in it at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import ValidationError
from pydantic_core import ErrorDetails
from starlette.datastructures import QueryParams

from ..latency.presets import PRESETS
from ..latency.spec import MAX_LANES, REASONS, SETTINGS, LaneSpec
from .problems import BadQuery, Problem

MAX_SAY = 500  # characters; percent-encoded, a URL then stays within the 8 kB that proxies accept
_MAX_NAMES = 20  # more in a query, or in a lane, are one problem: thousands would be an answer of megabytes


@dataclass(frozen=True, slots=True)
class Query:
    """What a request asks for: the lanes, and the visitor's own text ("" for none)."""

    specs: tuple[LaneSpec, ...]
    say: str


def read_query(
    params: QueryParams, *, also: frozenset[str] = frozenset(), default: Sequence[str] = ("",)
) -> Query:
    """Read `lane` (those of `default` where there is none) and `say`. Raises BadQuery.

    Names other than these two and `also` are problems too.
    """
    if len(params.multi_items()) > _MAX_NAMES:
        raise BadQuery([Problem("query", f"{len(params.multi_items()):,} names", f"at most {_MAX_NAMES} names")])
    lanes = params.getlist("lane") or list(default)
    problems = [*_name_problems(params, also)]
    if len(lanes) > MAX_LANES:
        problems.append(Problem("lane", f"{len(lanes)} times", f"given one to {MAX_LANES} times"))
    say = params.get("say", "")
    if len(say) > MAX_SAY:
        problems.append(Problem("say", say, f"at most {MAX_SAY} characters", reason=f"{len(say):,} characters"))
    specs: list[LaneSpec] = []
    for number, text in enumerate(lanes[:MAX_LANES]):
        try:
            specs.append(_read_lane(text, number))
        except BadQuery as exc:
            problems += exc.problems
    if problems:
        raise BadQuery(problems)
    return Query(tuple(specs), say)


def one_lane(query: Query) -> Query:
    """Return the query if it has a single lane. Raises BadQuery."""
    if len(query.specs) != 1:
        raise BadQuery([Problem("lane", f"{len(query.specs)} times", "given once here")])
    return query


def _name_problems(params: QueryParams, also: frozenset[str]) -> list[Problem]:
    known = {"lane", "say"} | also
    counts = Counter(name for name, _ in params.multi_items())
    problems = [
        Problem(name, params[name], "left out", reason=f"known are {', '.join(sorted(known))}")
        for name in counts
        if name not in known
    ]
    repeated = [name for name in known - {"lane"} if counts[name] > 1]
    return problems + [Problem(name, f"{counts[name]} times", "given once") for name in sorted(repeated)]


def _read_lane(text: str, lane: int) -> LaneSpec:
    """Read `name:value` pairs joined by commas; a first `preset:NAME` gives what the others leave open."""
    if text.count(",") >= _MAX_NAMES:
        raise BadQuery([Problem("lane", text, f"at most {_MAX_NAMES} settings", lane)])
    pairs = [pair.partition(":") for pair in text.split(",")] if text else []
    problems = [
        Problem(name or "a setting", name, "written as name:value, with one comma between two", lane)
        for name, colon, _ in pairs
        if not colon
    ]
    counts = Counter(name for name, _, _ in pairs)
    problems += [Problem(name, f"{n} times", "given once", lane) for name, n in counts.items() if n > 1]
    settings = {name: value for name, colon, value in pairs if colon and name != "preset"}
    presets = [(place, value) for place, (name, colon, value) in enumerate(pairs) if name == "preset" and colon]
    for place, value in presets:
        if place == 0 and value in PRESETS:
            settings = PRESETS[value].settings | settings
        else:
            known = ", ".join(PRESETS)
            problems.append(Problem("preset", value, f"the first in its lane, and one of {known}", lane))
    try:
        spec = LaneSpec.model_validate(settings)
    except ValidationError as exc:
        raise BadQuery([*problems, *(_problem(error, lane) for error in exc.errors())]) from None
    if problems:
        raise BadQuery(problems)
    return spec


def _problem(error: ErrorDetails, lane: int) -> Problem:
    """Say a pydantic error in our words: the bounds are named by the setting itself."""
    name = str(error["loc"][0])
    value = "" if error["input"] is None else str(error["input"])
    if name not in SETTINGS:
        return Problem(name, value, f"left out, or one of {', '.join(SETTINGS)}", lane)
    reason = error["msg"] if error["type"] in REASONS else ""
    return Problem(name, value, SETTINGS[name].range, lane, reason)

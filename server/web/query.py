"""Query text → LaneSpecs, or every problem in it at once."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from starlette.datastructures import QueryParams

from ..latency.lane import BadLane, read_lane
from ..latency.offered import NOTHING, Offered
from ..latency.spec import MAX_LANES, LaneSpec
from ..problem import Problem
from .problems import BadQuery

MAX_SAY = 500  # characters; percent-encoded, a URL then stays within the 8 kB that proxies accept
_MAX_NAMES = 20  # more in a query are one problem: thousands would be an answer of megabytes


@dataclass(frozen=True, slots=True)
class Query:
    """What a request asks for: the lanes, the visitor's own text ("" for none), and what the lanes may name."""

    specs: tuple[LaneSpec, ...]
    say: str
    offered: Offered = NOTHING


def read_query(
    params: QueryParams,
    offered: Offered = NOTHING,
    *,
    also: frozenset[str] = frozenset(),
    default: Sequence[str] = ("",),
) -> Query:
    """Read `lane` (those of `default` where there is none) and `say`. Raises BadQuery.

    Names other than these two and `also` are problems too. A lane may name what is offered.
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
            specs.append(read_lane(text, number, offered))
        except BadLane as exc:
            problems += exc.problems
    if problems:
        raise BadQuery(problems)
    return Query(tuple(specs), say, offered)


def only_lane(query: Query) -> Query:
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

"""The Jinja pages."""

from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..latency.presets import PRESETS
from ..latency.spec import MAX_LANES, SETTINGS
from ..problem import Problem
from ..settings import TEMPLATES
from .health import VERSION
from .problems import BadQuery
from .query import MAX_SAY, read_query

_NAMES = ("lane", "say")
_PAIR = "lane=tokens:100,delay_ms:{t}&lane=tokens:100,delay_ms:{t},delivery:whole"
_OPENING = QueryParams(_PAIR.format(t=50))  # 5 s, long enough to look
_WORKED_EXAMPLE = _PAIR.format(t=10)

_templates = Jinja2Templates(TEMPLATES)
_templates.env.globals |= {
    "settings": SETTINGS,
    "presets": PRESETS,
    "max_lanes": MAX_LANES,
    "max_say": MAX_SAY,
    "version": VERSION,
    "worked_example": _WORKED_EXAMPLE,
}


async def stage(request: Request) -> Response:
    """The page itself; it takes the same query as /stream, which is its whole state."""
    # Links gather names on their way (utm_source, …); here, unlike on /stream, they are dropped.
    known = QueryParams([(name, value) for name, value in request.query_params.multi_items() if name in _NAMES])
    problems: tuple[Problem, ...] = ()
    try:
        query = read_query(known, default=_OPENING.getlist("lane"))
    except BadQuery as exc:
        query, problems = read_query(_OPENING), exc.problems
    pairs = [("lane", spec.query()) for spec in query.specs] + ([("say", query.say)] if query.say else [])
    told = {problem.field: f'"{problem.value[:20]}" is not {problem.range}' for problem in problems}
    context = {"query": urlencode(pairs), "problems": problems, "told": told}
    return _templates.TemplateResponse(request, "stage.html", context, status_code=400 if problems else 200)

"""The Jinja pages."""

from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import Response
from starlette.templating import Jinja2Templates

from ..latency.presets import PRESETS
from ..latency.spec import MAX_LANES, settings_with
from ..problem import Problem
from ..scenes.deck import Scene
from ..scenes.library import Shelf
from ..settings import TEMPLATES
from .health import VERSION
from .join import audience_of
from .problems import BadQuery
from .query import MAX_SAY, read_query
from .scenes import etag_of
from .state import state_of

_NAMES = ("lane", "say")
_PAIR = "lane=tokens:100,delay_ms:{t}&lane=tokens:100,delay_ms:{t},delivery:whole"
_OPENING = QueryParams(_PAIR.format(t=50))  # 5 s, long enough to look
_WORKED_EXAMPLE = _PAIR.format(t=10)

_templates = Jinja2Templates(TEMPLATES)
_templates.env.globals |= {
    "presets": PRESETS,
    "max_lanes": MAX_LANES,
    "max_say": MAX_SAY,
    "version": VERSION,
    "worked_example": _WORKED_EXAMPLE,
}


async def stage(request: Request) -> Response:
    """The page itself; it takes the same query as /stream, which is its whole state."""
    return _page(request, await state_of(request).library.current(), _OPENING)


async def scene(request: Request) -> Response:
    """The page at a scene, with the scene's lanes where the query has none; of an unknown one it says so."""
    shelf, slug = await state_of(request).library.current(), request.path_params["slug"]
    found = shelf.find(slug)
    if found is None:
        problem = Problem("the scene", slug, "one that Talk lists")
        return _page(request, shelf, _OPENING, problems=(problem,), wrong_status=404)
    return _page(request, shelf, QueryParams(found.query) if found.lanes else _OPENING, found)


async def speaker(request: Request) -> Response:
    """The speaker's window: notes and what comes next, in step with the page that presents."""
    shelf = await state_of(request).library.current()
    context = {"decks": shelf.decks, "tree": state_of(request).assets.current()}
    return _templates.TemplateResponse(request, "speaker.html", context)


def _page(
    request: Request,
    shelf: Shelf,
    opening: QueryParams,
    scene: Scene | None = None,
    *,
    problems: tuple[Problem, ...] = (),
    wrong_status: int = 400,
) -> Response:
    # Links gather names on their way (utm_source, …); here, unlike on /stream, they are dropped.
    known = QueryParams([(name, value) for name, value in request.query_params.multi_items() if name in _NAMES])
    try:
        query = read_query(known, shelf.offered, default=opening.getlist("lane"))
    except BadQuery as exc:
        query, problems = read_query(opening, shelf.offered), (*problems, *exc.problems)
    pairs = [("lane", spec.query()) for spec in query.specs] + ([("say", query.say)] if query.say else [])
    told = {problem.field: f'"{problem.value[:20]}" is not {problem.range}' for problem in problems}
    context = {
        "query": urlencode(pairs),
        "problems": problems,
        "told": told,
        "settings": settings_with(shelf.offered),
        "recordings": shelf.offered.recordings,
        "wrong": shelf.wrong,
        "base": "../" if request.path_params else "./",
        "scene": scene,
        "decks": shelf.decks,
        "decks_etag": etag_of(shelf),
        "audience": audience_of(request),
        "tree": state_of(request).assets.current(),
        "bare": request.query_params.get("bare") == "1",
    }
    status = wrong_status if problems else 200
    return _templates.TemplateResponse(request, "stage.html", context, status_code=status)

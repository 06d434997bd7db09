"""create_app(): the routes, what wraps them, and what they share."""

from collections.abc import Callable, Iterator

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.routing import Mount, Route
from starlette.types import ASGIApp
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from ..scenes.library import Library
from ..settings import STATIC, Settings
from . import health, join, metrics, pages, problems, scenes, streams
from .admission import Admission, Refused
from .assets import Assets
from .hosts import AllowedHosts
from .open_stream import ClosesStreams, refused
from .openai import endpoints as openai
from .openai.errors import ApiError, api_error
from .origins import Origins
from .root_path import BelowRootPath
from .security import SecurityHeaders
from .state import AppState, wall_clock_us
from .static import Static

_STREAMS = {"/stream": streams.stream, "/answer": streams.answer, "/plain": streams.plain}

# Around each of these alone, so that no stream is ever in it. Level 6 makes a page a sixth of its size.
_COMPRESSED = [Middleware(GZipMiddleware, compresslevel=6)]


class _App(Starlette):
    """Starlette keeps its own answer to a fault of the server outside all middleware; this is outside that too."""

    def build_middleware_stack(self) -> ASGIApp:
        settings: Settings = self.state.trickle.settings
        app = super().build_middleware_stack()
        if settings.root_path:
            app = BelowRootPath(app, settings.root_path)
        return SecurityHeaders(app, settings.embed_origin)


def create_app(settings: Settings | None = None, now_us: Callable[[], int] = wall_clock_us) -> Starlette:
    """Build the app; `now_us` is the wall clock, in µs since the epoch, for tests and because machines differ."""
    settings = settings or Settings()
    assets = Assets(STATIC)
    app = _App(
        routes=[
            Route("/", pages.stage, middleware=_COMPRESSED),
            Route("/scenes/{slug}", pages.scene, middleware=_COMPRESSED),
            Route("/scenes.json", scenes.scenes, middleware=_COMPRESSED),
            Route("/speaker", pages.speaker, middleware=_COMPRESSED),
            Route("/join.svg", join.qr, middleware=_COMPRESSED),
            Route("/plan", streams.plan, middleware=_COMPRESSED),
            *(Route(path, endpoint) for path, endpoint in _STREAMS.items()),
            *openai.ROUTES,
            *(
                Route(path, health.healthz) for path in ("/healthz", "/health")
            ),  # the second is what clients of /v1 ask
            Route("/metrics", metrics.metrics),
            Mount("/static", Static(assets)),
        ],
        middleware=list(_wrapped_in(settings)),
        exception_handlers={
            problems.BadQuery: problems.bad_query,
            Refused: refused,
            ApiError: api_error,
            HTTPException: problems.http_error,
            Exception: problems.server_error,
        },
    )
    app.router.redirect_slashes = False  # what isn't there is a 404, also with a slash behind it
    places = Admission(settings.max_streams, settings.max_streams_per_client)
    library = Library(settings.deck, settings.max_run_s, settings.recordings)
    app.state.trickle = AppState(settings, library, assets, now_us, places)
    return app


def _wrapped_in(settings: Settings) -> Iterator[Middleware]:
    """Yield what stands around the routes, from outside in."""
    if settings.proxy_headers:
        yield Middleware(ProxyHeadersMiddleware, trusted_hosts=list(settings.forwarded_allow_ips))
    if settings.allowed_host:
        yield Middleware(AllowedHosts, hosts=settings.allowed_host)
    yield Middleware(
        Origins, allowed=settings.allow_origin, streams={**_STREAMS, **openai.STREAMS}, others=["/plan"]
    )
    yield Middleware(ClosesStreams)

"""create_app(): the routes, what wraps them, and what they share."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from ..scenes.library import Library
from ..settings import STATIC, Settings
from . import health, join, pages, problems, scenes, streams
from .security import SecurityHeaders
from .state import AppState, wall_clock_us


class _App(Starlette):
    """Starlette keeps its own answer to a fault of the server outside all middleware; this is outside that too."""

    def build_middleware_stack(self) -> ASGIApp:
        return SecurityHeaders(super().build_middleware_stack())


def create_app(settings: Settings | None = None, now_us: Callable[[], int] = wall_clock_us) -> Starlette:
    """Build the app; `now_us` is the wall clock, in µs since the epoch, for tests and because machines differ."""
    settings = settings or Settings()
    app = _App(
        routes=[
            Route("/", pages.stage),
            Route("/scenes/{slug}", pages.scene),
            Route("/scenes.json", scenes.scenes),
            Route("/speaker", pages.speaker),
            Route("/join.svg", join.qr),
            Route("/stream", streams.stream),
            Route("/plan", streams.plan),
            Route("/answer", streams.answer),
            Route("/plain", streams.plain),
            Route("/healthz", health.healthz),
            Mount("/static", StaticFiles(directory=STATIC), name="static"),
        ],
        exception_handlers={
            problems.BadQuery: problems.bad_query,
            HTTPException: problems.http_error,
            Exception: problems.server_error,
        },
    )
    app.router.redirect_slashes = False  # what isn't there is a 404, also with a slash behind it
    app.state.trickle = AppState(settings, Library(settings.deck, settings.max_run_s), now_us)
    return app

"""`python -m benchmarks.watched WORKERS STREAMS`: the server with one path more, which counts asyncio's tasks.

They are those of the process that answers.
"""

import asyncio
import functools
import sys

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from server import launch
from server.settings import Settings
from server.web.app import create_app


async def tasks(_: Request) -> PlainTextResponse:
    """Count all but the one that counts."""
    return PlainTextResponse(str(len(asyncio.all_tasks()) - 1))


def watched(settings: Settings) -> Starlette:
    """Build the app as it is, and add the path."""
    app = create_app(settings)
    app.router.routes.append(Route("/tasks", tasks))
    return app


def main(workers: int, streams: int) -> None:
    """Serve on any free port until a signal comes."""
    settings = Settings(port=0, workers=workers, max_streams=streams, max_run_s=3600)
    config = launch.uvicorn_config(settings)
    config.app = functools.partial(watched, settings)
    launch.serve(config, launch.bind(settings), functools.partial(print, flush=True))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))

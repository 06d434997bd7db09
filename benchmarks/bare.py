"""The least that uvicorn and Starlette can serve, one page without a template: `python -m benchmarks.bare`.

It imports nothing of Trickle, because importing is most of what a start takes.
"""

import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route


async def page(_: Request) -> HTMLResponse:
    """Send a page."""
    return HTMLResponse("<!doctype html><title>Bare</title><p>A page.")


def main() -> None:
    """Serve on any free port, and say which."""
    app = Starlette(routes=[Route("/", page)])
    config = uvicorn.Config(app, loop="asyncio", http="h11", ws="none", lifespan="off", log_level="error")
    listening = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()

"""`python -m tests.other_clock SECONDS`: the server, on a machine whose wall clock is so many seconds off.

Beside that it is what `trickle` runs, on any free port.
"""

import functools
import sys

from server import launch
from server.settings import Settings
from server.web.app import create_app
from server.web.state import wall_clock_us


def main(off_s: int) -> None:
    """Serve until a signal comes."""
    settings = Settings(port=0)
    config = launch.uvicorn_config(settings)
    config.app = functools.partial(create_app, settings, now_us=lambda: wall_clock_us() + off_s * 1_000_000)
    launch.serve(config, launch.bind(settings), functools.partial(print, flush=True))


if __name__ == "__main__":
    main(int(sys.argv[1]))

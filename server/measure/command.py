"""The command `trickle measure`. It imports what it needs when it runs, so that `serve` starts as fast."""

import os
from pathlib import Path
from typing import Any

import click

from .failure import STOPPED_EXIT_CODE

_KEY = "OPENAI_API_KEY"


@click.command(
    epilog="Exit codes: 0 all whole, 1 not saved, 2 a bad option, 3 refused, 4 timed out, 5 not a stream, "
    f"6 cut midway, 7 the model failed, {STOPPED_EXIT_CODE} Ctrl-C; of several the first. "
    f"The key for an OpenAI-compatible server is taken from {_KEY}."
)
@click.argument("url")
@click.option("--model", metavar="TEXT", help="Model to ask; needed where the server has several.")
@click.option("--prompt", metavar="TEXT", help="What it is asked; else for 200 words about the sky.")
@click.option(
    "--requests", type=click.IntRange(1, 10_000), default=1, show_default=True, help="How many requests."
)
@click.option(
    "--concurrency", type=click.IntRange(1, 1_000), default=1, show_default=True, help="How many at a time."
)
@click.option(
    "--warmup", type=click.IntRange(0, 1_000), default=0, show_default=True,
    help="Requests before these, to warm the server up; they do not count.",
)  # fmt: skip
@click.option(
    "--timeout", type=click.FloatRange(0.1, 3_600), default=120, show_default=True,
    help="Seconds without a byte after which a request is given up.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON, and nothing else on stdout.")
@click.option("--save", metavar="FILE", type=click.Path(path_type=Path), help="Save the first whole answer there.")
@click.option("--force", is_flag=True, help="Replace the file that --save names.")
def measure(*, as_json: bool, save: Path | None, force: bool, timeout: float, **asked: Any) -> None:
    """Measure how a server's answers trickle in.

    URL is the base of an OpenAI-compatible server, such as http://127.0.0.1:8000/v1, or a stream of Trickle's,
    such as "http://127.0.0.1:8000/stream?lane=tokens:100,delay_ms:10".
    """
    from . import terminal
    from .measurement import Options

    options = Options(**asked, timeout_s=timeout, key=os.environ.get(_KEY, "").strip())
    raise click.exceptions.Exit(terminal.measure(options, as_json, save, force))

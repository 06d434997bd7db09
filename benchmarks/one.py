"""Loads a server that runs already with one case, to try a change or to see where the time goes.

`python -m benchmarks.one http://127.0.0.1:8000 --streams 200 --delay-ms 10`

For a profile, `pip install py-spy`, start the server from it, and load it from another terminal:
`py-spy record --duration 10 --output profile.svg -- .venv/bin/trickle serve`
"""

from dataclasses import asdict
from urllib.parse import urlsplit

import click

from benchmarks.cases import summary
from benchmarks.load import at_once, receive


@click.command(context_settings={"show_default": True})
@click.argument("url")
@click.option("--streams", type=click.IntRange(1, 10_000), default=100)
@click.option("--tokens", type=click.IntRange(1, 10_000), default=100)
@click.option("--delay-ms", type=click.FloatRange(0, 10_000), default=10)
@click.option("--over-s", type=click.FloatRange(0, 60), default=0, help="begin evenly over so many seconds")
def main(url: str, streams: int, tokens: int, delay_ms: float, over_s: float) -> None:
    """Ask for streams, and print what became of them."""
    server = urlsplit(url)
    if server.hostname is None:
        raise click.BadParameter(f"it must be a URL such as http://127.0.0.1:8000, but was {url}")
    load = receive((server.hostname, server.port or 80), at_once(streams, tokens, delay_ms, over_s))
    for name, value in asdict(summary(load.received)).items():
        click.echo(f"{name:<15} {value:,.3f}")
    click.echo(f"client          {load.cpu_share:.0%} of a core")


if __name__ == "__main__":
    main()

"""The command `trickle`."""

import errno
from collections.abc import Callable
from typing import Any

import click
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from . import launch
from .bounds import bounds_of, number_range
from .descriptors import make_room
from .settings import Settings


class _ServeByDefault(click.Group):
    """`trickle`, or `trickle --port 9000`, is `trickle serve …`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ("--help", "--version")):
            args = ["serve", *args]
        return super().parse_args(ctx, args)


def _settings_options(command: Callable[..., None]) -> Callable[..., None]:
    """Make each setting an option, and an environment variable of the same name."""
    for name, field in reversed(Settings.model_fields.items()):
        option = name.replace("_", "-")
        command = click.option(
            f"--{option}/--no-{option}" if isinstance(field.default, bool) else f"--{option}",
            envvar=f"TRICKLE_{name.upper()}",
            help=field.description,
            show_default=True,
            show_envvar=True,
            **_kind(field.default),
        )(command)
    return command


def _kind(default: object) -> dict[str, Any]:
    """Return what an option takes. Pydantic reads the text, and says what is wrong with it."""
    match default:
        case bool():
            return {"default": default}
        case int():
            return {"type": str, "default": str(default), "metavar": "N"}
        case tuple():
            return {"type": str, "default": default, "metavar": "TEXT,…", "multiple": True}
        case _:
            return {"type": str, "default": default, "metavar": "TEXT"}


@click.group(cls=_ServeByDefault)
@click.version_option(package_name="token-trickle", message="trickle %(version)s")
def main() -> None:
    """Trickle shows how a model's answer trickles in, token by token, exactly on time."""


@main.command()
@_settings_options
def serve(**values: Any) -> None:
    """Serve the demo until Ctrl-C."""
    try:
        settings = Settings(**values)
    except ValidationError as exc:
        raise click.UsageError("; ".join(_sentence(error) for error in exc.errors())) from None
    if warning := make_room(settings.max_streams):
        click.echo(warning, err=True)
    try:
        sock = launch.bind(settings)
    except OSError as exc:
        raise click.ClickException(_why_not_bound(settings, exc)) from None
    launch.serve(settings, sock, click.echo)


def _sentence(error: ErrorDetails) -> str:
    name = str(error["loc"][0])
    bounds = bounds_of(Settings.model_fields[name])
    allowed = number_range(bounds["ge"], bounds["le"]) if bounds else error["msg"]
    return f"--{name.replace('_', '-')} must be {allowed}, but was {error['input']}"


def _why_not_bound(settings: Settings, exc: OSError) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"port {settings.port} is taken: stop what uses it or choose another with --port (make run PORT=…)"
    return f"can't listen on {settings.host} port {settings.port}: {exc.strerror or exc}."

"""The command `trickle`."""

import errno
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import click
from pydantic import SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from . import launch
from .bounds import bounds_of, number_range
from .descriptors import make_room
from .measure.command import measure
from .scenes.library import HeldDeck, Library
from .settings import Settings
from .workers import no_room_to_count


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
            help=f"{field.description}{_allowed(field)}",
            show_envvar=True,
            **_kind(field),
        )(command)
    return command


def _allowed(field: FieldInfo) -> str:
    bounds = bounds_of(field)
    return f" ({bounds['ge']:,} to {bounds['le']:,})" if bounds else ""


def _kind(field: FieldInfo) -> dict[str, Any]:
    """Return what an option takes. Pydantic reads the text, and says what is wrong with it."""
    match field.default:
        case bool(default):
            return {"default": default, "show_default": True}
        case None:
            return {"type": click.Path(), "metavar": "DIR", "show_default": "none"}
        case int(default):
            return {"type": str, "default": str(default), "metavar": "N", "show_default": True}
        case SecretStr():
            return {"type": str, "default": "", "metavar": "TEXT", "show_default": "none"}
        case tuple() if Path in get_args(field.annotation):
            return {"type": click.Path(), "metavar": "FILE", "multiple": True, "show_default": "none"}
        case tuple(default):
            shown = True if default else "none"
            return {"type": str, "default": default, "metavar": "TEXT,…", "multiple": True, "show_default": shown}
        case default:
            shown = True if default else "none"
            return {"type": str, "default": default, "metavar": "TEXT", "show_default": shown}


@click.group(cls=_ServeByDefault)
@click.version_option(package_name="token-trickle", message="trickle %(version)s")
def main() -> None:
    """Trickle shows how a model's answer trickles in, token by token, exactly on time.

    Without a command it serves.
    """


@main.command()
@_settings_options
def serve(**values: Any) -> None:
    """Serve the demo until Ctrl-C."""
    try:
        settings = Settings(**values)
    except ValidationError as exc:
        raise click.UsageError("; ".join(_sentence(error) for error in exc.errors())) from None
    library = Library(settings.deck, settings.max_run_s, settings.recordings)
    if problems := _problem_lines(library):
        raise click.ClickException("\n".join([_why_not_started(library), *problems]))
    if warning := make_room(settings.max_streams):
        click.echo(warning, err=True)
    if settings.workers > 1 and (problem := no_room_to_count()):
        raise click.ClickException(f"workers count together in files, for which there is no place: {problem}")
    try:
        sock = launch.bind(settings)
    except OSError as exc:
        raise click.ClickException(_why_not_bound(settings, exc)) from None
    launch.serve(launch.uvicorn_config(settings), sock, click.echo)


main.add_command(measure)


@main.group()
def deck() -> None:
    """Decks: scenes of a talk, in TOML files."""


@deck.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE…", type=click.Path(path_type=Path))
@click.option(
    "--recordings",
    envvar="TRICKLE_RECORDINGS",
    help=Settings.model_fields["recordings"].description,
    show_envvar=True,
    type=click.Path(path_type=Path),
    metavar="DIR",
)
def check(files: tuple[Path, ...], recordings: Path | None) -> None:
    """Check decks that are to be served together: all that is wrong, or what is in them."""
    library = Library(files, Settings().max_run_s, recordings)
    problems = _problem_lines(library)
    click.echo("\n".join(problems or [_found(held) for held in library.shelf.own]))
    if problems:
        raise click.exceptions.Exit(1)


def _problem_lines(library: Library) -> list[str]:
    return [f"{held.path}: {problem}" for held in library.shelf.wrong for problem in held.problems]


def _why_not_started(library: Library) -> str:
    is_deck = any(held.problems for held in library.shelf.own)
    return f"not started, because {'a deck' if is_deck else 'a recording'} has problems"


def _found(held: HeldDeck) -> str:
    assert held.deck
    scenes, minutes, texts = len(held.scenes), held.deck.minutes, len(held.deck.texts)
    return f"{held.path}: fine; scenes: {scenes}, minutes: {minutes:g}, texts of its own: {texts}"


def _sentence(error: ErrorDetails) -> str:
    name = str(error["loc"][0])
    bounds = bounds_of(Settings.model_fields[name])
    allowed = number_range(bounds["ge"], bounds["le"]) if bounds else error["msg"]
    return f"--{name.replace('_', '-')} must be {allowed}, but was {error['input']}"


def _why_not_bound(settings: Settings, exc: OSError) -> str:
    if exc.errno == errno.EADDRINUSE:
        return f"port {settings.port} is taken: stop what uses it or choose another with --port (make run PORT=…)"
    return f"can't listen on {settings.host} port {settings.port}: {exc.strerror or exc}."

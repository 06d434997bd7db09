"""At the terminal: runs a measurement with a bar that shows how far it is, then prints and saves what there is."""

import json
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import anyio
import click

from .failure import EXIT_CODES, STOPPED_EXIT_CODE, Failure
from .measurement import Measurement, Options
from .report import json_report, text_report
from .saving import Place, recording_of


def measure(options: Options, as_json: bool, save: Path | None, replace: bool) -> int:
    """Measure, and return the exit code. Raises click's own exceptions for options that are wrong."""
    try:
        measurement = Measurement(options)
        place = Place(save, replace) if save else None
    except Failure as failure:
        raise click.UsageError(failure.reason) from None
    return anyio.run(_measure, measurement, as_json, place)


async def _measure(measurement: Measurement, as_json: bool, place: Place | None) -> int:
    told, exit_code = await _run(measurement)
    _print(measurement, as_json, stopped=exit_code == STOPPED_EXIT_CODE)
    if place:
        _save(place, measurement)
    if told:
        click.echo(told, err=True)
    return exit_code


async def _run(measurement: Measurement) -> tuple[str, int]:
    """Measure, and return what is to be said of it and the exit code, which are those of what went wrong first."""
    try:
        with _bar(measurement.options.requests) as bar:
            await measurement.run(lambda: bar.update(1) if bar else None)
        if failure := measurement.first_failure:
            raise failure
    except anyio.get_cancelled_exc_class():  # by Ctrl-C, as asyncio passes it on: there is something to tell still
        return "Stopped.", STOPPED_EXIT_CODE
    except Failure as failed:
        return f"Error: {failed}", EXIT_CODES[failed.kind]
    return "", 0


def _bar(length: int) -> AbstractContextManager[Any]:
    if sys.stderr.isatty():
        return click.progressbar(length=length, label="measuring", show_pos=True, file=sys.stderr)
    return nullcontext()


def _print(measurement: Measurement, as_json: bool, stopped: bool) -> None:
    """Print what there is; text only where a token came, as without one there is nothing to read in it."""
    if as_json and measurement.attempts:
        click.echo(json.dumps(json_report(measurement, stopped), indent=1))
    elif not as_json and any(answer.tokens for attempt in measurement.attempts for answer in attempt.answers):
        click.echo(text_report(measurement))


def _save(place: Place, measurement: Measurement) -> None:
    try:
        recording = recording_of(measurement.attempts, measurement.source, measurement.model)
        if recording:
            place.write(recording)
            told = f"Saved {place.path}: {len(recording.tokens):,} tokens, {recording.ended}."
        else:
            place.give_back()
            told = "Nothing was saved, because no token came."
    except Failure as failure:
        place.give_back()
        raise click.ClickException(failure.reason) from None
    except OSError as exc:
        raise click.ClickException(f"{place.path} can't be written: {exc.strerror}") from None
    click.echo(told, err=True)

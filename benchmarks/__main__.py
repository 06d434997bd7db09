"""Runs the parts of the bench, and writes RESULTS.md, its plots and results.json.

`make bench` runs everything; `make bench-quick` a short part, which it compares with the last committed figures.
Either ends with status 1 only where a part found a fault, such as a token lost or early.
"""

import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import click

from benchmarks import cost, pacing, page, planning, start, svg
from benchmarks.guard import compare
from benchmarks.report import Section, Spread, markdown

HERE = Path(__file__).parent
RESULTS, FIGURES = "RESULTS.md", "results.json"
LIBRARIES = ("starlette", "sse-starlette", "uvicorn", "anyio", "h11", "pydantic", "jinja2", "playwright")

# Each takes whether it is to be quick, and measures the same ratios in either case.
PARTS: dict[str, Callable[[bool], Section]] = {
    "pacing": pacing.measure,
    "cost": cost.measure,
    "planning": planning.measure,
    "start": start.measure,
    "page": page.measure,
}


def measured(names: Sequence[str], quick: bool) -> list[Section]:
    """Run the parts one after another."""
    sections = []
    for name in names:
        began = time.monotonic()
        click.echo(f"{name} …", err=True)
        sections.append(PARTS[name](quick))
        click.echo(f"{name}: {time.monotonic() - began:.0f} s", err=True)
    return sections


def setting() -> dict[str, str]:
    """Say where and of what the figures are."""
    cpu = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
    memory_gb = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    cores = len(os.sched_getaffinity(0))
    return {
        "machine": f"{cores} cores ({cpu.partition(':')[2].strip()}), {memory_gb:.0f} GB, {platform.system()} "
        f"{platform.release()}; load {os.getloadavg()[0]:.2f} at the start",
        "versions": f"Python {platform.python_version()}, "
        + ", ".join(f"{library} {version(library)}" for library in LIBRARIES),
        "commit": _git("describe", "--always", "--dirty", "--exclude", "*"),
        "date": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "command": "make bench",
    }


def _git(*command: str) -> str:
    """Return what git says: nothing where this is no clone."""
    return subprocess.run(["git", *command], cwd=HERE, capture_output=True, text=True).stdout.strip()


def write(sections: Sequence[Section], about: Mapping[str, str], folder: Path = HERE) -> None:
    """Write the report, its plots, and the figures that the guard reads; plots of before go."""
    rows = "\n".join(f"| {name} | {value} |" for name, value in about.items())
    text = "\n".join(markdown(section) for section in sections)
    (folder / RESULTS).write_text(f"# Results\n\n| | |\n|---|---|\n{rows}\n\n{text}", encoding="utf-8")
    for old in folder.glob("*.svg"):
        old.unlink()
    for plot in (plot for section in sections for plot in section.plots):
        (folder / f"{plot.name}.svg").write_text(svg.drawn(plot), encoding="utf-8")
    figures = {**about, "sections": [asdict(section) for section in sections]}
    (folder / FIGURES).write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def ratios_of(figures: str) -> dict[str, Spread]:
    """Return the ratios of a run that was written; of none, where there is none yet."""
    return {
        name: Spread(tuple(spread["values"]))
        for section in json.loads(figures or '{"sections": []}')["sections"]
        for name, spread in section["ratios"].items()
    }


@click.command()
@click.option("--quick", is_flag=True, help="only the ratios, compared with the last committed ones")
@click.option("--only", type=click.Choice(list(PARTS)), multiple=True, help="print one part, and write nothing")
@click.pass_context
def main(ctx: click.Context, quick: bool, only: tuple[str, ...]) -> None:
    """Measure."""
    about = setting()
    sections = measured(only or tuple(PARTS), quick)
    if quick:
        ratios = {name: spread for section in sections for name, spread in section.ratios.items()}
        click.echo("\n".join(compare(ratios_of(_git("show", f"HEAD:./{FIGURES}")), ratios)))
    elif only:
        click.echo("\n".join(map(markdown, sections)))
    else:
        write(sections, about)
    faults = [fault for section in sections for fault in section.faults]
    click.echo("".join(f"fault: {fault}\n" for fault in faults), err=True, nl=False)
    ctx.exit(1 if faults else 0)


if __name__ == "__main__":
    main()

"""What a part of the bench found, as values, and how they are written as Markdown; runs and measures nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median


@dataclass(frozen=True)
class Spread:
    """A ratio as measured several times in one run; the smaller, the better."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def width(self) -> float:
        """How far apart the run's own values are."""
        return max(self.values) - min(self.values)


@dataclass(frozen=True)
class Table:
    """Figures, ready to be read; the sentence tells what they say."""

    says: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Line:
    """One line of a plot, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Plot:
    """A picture of a few lines, in a file of that name beside the report; the sentence tells what it shows."""

    name: str
    says: str
    x: str  # the axes' labels, with their units
    y: str
    lines: Sequence[Line]
    log_x: bool = False
    log_y: bool = False


@dataclass(frozen=True)
class Section:
    """What one part of the bench found."""

    title: str
    sentences: Sequence[str] = ()  # how it was measured
    tables: Sequence[Table] = ()
    plots: Sequence[Plot] = ()
    ratios: Mapping[str, Spread] = field(default_factory=dict)  # what the guard compares, by names that stay
    faults: Sequence[str] = ()  # what must never be, such as a lost token: the bench then ends with status 1


def markdown(section: Section) -> str:
    """Write a section."""
    parts = [f"## {section.title}", " ".join(section.sentences)]
    for table in section.tables:
        parts += [table.says, _table(table.header, table.rows)]
    for plot in section.plots:
        parts += [plot.says, f"![{plot.y} against {plot.x}]({plot.name}.svg)"]
    if section.ratios:
        header = ("ratio", "median", "lowest", "highest")
        rows = [_ratio(name, spread) for name, spread in section.ratios.items()]
        parts += ["What the guard (`make bench-quick`) compares; the smaller, the better:", _table(header, rows)]
    parts += [f"**Fault:** {fault}" for fault in section.faults]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ratio(name: str, spread: Spread) -> tuple[str, ...]:
    values = (spread.median, min(spread.values), max(spread.values))
    return (name, *(f"{value:.3f}" for value in values))


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table; what stands in the first column is left-aligned, figures are right-aligned."""
    marks = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (header, marks, *rows))

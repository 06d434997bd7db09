"""Compares a run's ratios with those of the last committed run; says what got worse, and is no gate."""

from collections.abc import Mapping

from benchmarks.report import Spread


def compare(before: Mapping[str, Spread], now: Mapping[str, Spread]) -> list[str]:
    """Return a line for each ratio of this run, those that got worse first.

    Worse is a median that rose by more than the values of either run are apart: what is less may be chance.
    """
    return sorted((_line(name, before.get(name), spread) for name, spread in now.items()), key=_worse_first)


def _line(name: str, before: Spread | None, now: Spread) -> str:
    if before is None:
        return f"new     {name}: {now.median:.3f}"
    change, chance = now.median - before.median, max(before.width, now.width)
    verdict = "WORSE" if change > chance else "better" if change < -chance else "same"
    return f"{verdict:<7} {name}: {before.median:.3f} → {now.median:.3f} (by chance up to {chance:.3f})"


def _worse_first(line: str) -> bool:
    return not line.startswith("WORSE")

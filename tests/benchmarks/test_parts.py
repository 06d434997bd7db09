"""What the parts make of their measurements, from runs that never were, and how the report is written."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import cost, pacing
from benchmarks.__main__ import FIGURES, RESULTS, ratios_of, write
from benchmarks.cases import Case, Run, Runs
from benchmarks.load import Load, Received
from benchmarks.report import Line, Plot, Section, Spread, markdown
from benchmarks.servers import FLOOR, NAIVE, OURS

LATE_MS = {OURS: 1.0, FLOOR: 0.5}  # all others 4
STREAM_US = 300  # of CPU, for what a stream needs once


def runs_of(cases: Sequence[Case], early_ms: float = 0) -> Runs:
    """Make every run alike: a token costs as many µs of CPU as it is late in tenths of ms."""
    return {case: {name: [run_of(case, name, early_ms)] * case.rounds for name in case.servers} for case in cases}


def run_of(case: Case, name: str, early_ms: float) -> Run:
    late_ms = LATE_MS.get(name, 4)
    due = tuple(float((i + 1) * case.delay_ms) for i in range(case.tokens))
    arrived = tuple(ms + late_ms for ms in due)
    sent = tuple(ms - early_ms for ms in due)
    received = Received(True, case.tokens, tuple(range(case.tokens)), due, arrived, sent)
    cpu_us = case.streams * (STREAM_US + case.tokens * late_ms * 10)
    return Run(Load([received] * 2, took_s=1, cpu_share=0.2), cpu_us / 1e6)


def rows(section: Section) -> dict[str, Sequence[str]]:
    return {row[0]: row[1:] for table in section.tables for row in table.rows}


def test_pacing_says_which_aims_are_met_and_how_each_server_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "measured", runs_of)
    section = pacing.measure(quick=False)
    found = rows(section)
    assert found["1 stream: E2E ÷ plan p50"] == ("≤ 1.003", "1.001", "yes")
    assert found["200 at once: late p50 ÷ the naive server's"] == ("≤ 0.5", "0.250", "yes")
    assert found["1,000 over 3 s, 2 workers · Trickle"][:3] == ("1.001", "1.001", "1.0")
    assert found["500 · naive"][2] == "4.0"
    assert not section.faults
    assert [len(plot.lines) for plot in section.plots] == [5, 5]


def test_only_our_own_faults_are_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "measured", lambda cases: runs_of(cases, early_ms=0.1))
    section = pacing.measure(quick=True)
    assert section.faults
    assert all(NAIVE not in fault and "0 lost" in fault for fault in section.faults)


def test_costs_are_the_slopes_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "measured", runs_of)
    kb = {OURS: 50}
    monkeypatch.setattr(cost, "_held", lambda name: [(n, 9_000 + n * kb.get(name, 40)) for n in cost.HELD])
    section = cost.measure(quick=False)
    assert rows(section)["Trickle"] == ("10", "310", "50")  # 310: with the one token of a new stream
    assert rows(section)["memory of an open stream more than sse-starlette's own, kB"][1:] == ("10.000", "yes")
    assert "farther than 0.0% from a straight line" in markdown(section)


@pytest.mark.parametrize("part", [pacing, cost])
def test_a_quick_run_finds_ratios_of_the_same_names_as_a_whole_one(
    part: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(part, "measured", runs_of)
    monkeypatch.setattr(cost, "_held", lambda name: [(n, n * 10.0) for n in cost.HELD])
    measure = part.measure  # type: ignore[attr-defined]
    assert list(measure(quick=True).ratios) == list(measure(quick=False).ratios)


def test_what_is_written_is_what_the_guard_reads(tmp_path: Path) -> None:
    (tmp_path / "gone.svg").touch()
    plot = Plot("late", "It grows:", "streams", "ms", [Line("ours", [(1, 2), (3, 4)])])
    ratios = {"late ÷ naive's": Spread((0.5, 0.25))}
    write([Section("Pacing", plots=[plot], ratios=ratios)], {"command": "make bench"}, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [RESULTS, "late.svg", FIGURES]
    assert (tmp_path / RESULTS).read_text(encoding="utf-8").startswith(
        "# Results\n\n| | |\n|---|---|\n| command | make bench |\n\n## Pacing\n"
    )
    assert ratios_of((tmp_path / FIGURES).read_text(encoding="utf-8")) == ratios
    assert ratios_of("") == {}

"""What a long run costs the page, in Chromium, beside a bare page that appends text to itself; and its loading."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route

from benchmarks import chromium, loading
from benchmarks.chromium import FRAME_MS, Trace
from benchmarks.figures import aims, figure, percentile
from benchmarks.report import Section, Spread, Table
from tests.process import serving

HOW = """\
Chromium without a window, 1280×720, with its tracing on. A task is one of the page's main thread; it is long if it
takes more than 50 ms, *by CPU* if its CPU time alone does. *First* and *last* are that thread's CPU time while the
first, and the last, 1,000 tokens came. Drawn is the frame in which a token became visible, in frames of 16.7 ms
after its arrival. The heap is what scripts hold more than before the run, after what they no longer need was
thrown away. The bare page does nothing but append each text: what is lost there is lost by browser and machine."""
COUNTED = 1_000  # tokens, at the start and at the end
ROUNDS = 3  # of the case whose ratios the guard compares
SETTLED_MS = 500  # by then all that follows a load or a run is over
PATIENCE_MS = 120_000

# Nothing but what every page with a stream must do: hear an event, append its text, note the frame that shows it.
FLOOR = """<!doctype html><title>floor</title><p id="text"></p><script>
  window.begin = () => {
    const asked = performance.now(), tokens = [];
    let drawn = 0;
    const draw = () => {
      const now = performance.now() - asked;
      for (; drawn < tokens.length; drawn += 1) tokens[drawn].drawn_ms = now;
    };
    const source = new EventSource(`stream${location.search}`);
    source.addEventListener("token", ({ data }) => {
      tokens.push({ arrival_ms: performance.now() - asked });
      document.getElementById("text").append(JSON.parse(data).text);
      requestAnimationFrame(draw);
    });
    source.addEventListener("done", () => {
      source.close();
      requestAnimationFrame(() => (window.result = { lanes: [{ tokens }] }));
    });
  };
</script>"""
IS_OVER = "() => [...document.querySelectorAll('.answer')].every(({ dataset }) => dataset.state === 'done')"


@dataclass(frozen=True)
class Case:
    """One run, on a CPU made so many times slower."""

    lanes: int
    tokens: int
    delay_ms: int
    slower: int = 1
    is_floor: bool = False

    @property
    def query(self) -> str:
        return "?" + "&".join([f"lane=tokens:{self.tokens},delay_ms:{self.delay_ms}"] * self.lanes)

    @property
    def name(self) -> str:
        where = "bare page, " if self.is_floor else ""
        what = f"{self.lanes} × {self.tokens:,} at {self.delay_ms} ms"
        return where + what + (f", CPU ÷ {self.slower}" if self.slower > 1 else "")


@dataclass(frozen=True)
class Found:
    """What one run cost."""

    trace: Trace
    arrivals_ms: Sequence[float]  # of all lanes, in order
    drawing_ms: Sequence[float]  # drawn − arrival, of each token
    heap_mb: float  # more than before the run
    shift: float  # of the layout, as Chromium scores it

    @property
    def first_ms(self) -> float:
        """CPU time of the main thread for the first tokens."""
        return self.trace.cost_ms(self.arrivals_ms[0], self.arrivals_ms[COUNTED])

    @property
    def last_ms(self) -> float:
        """And for the last."""
        return self.trace.cost_ms(self.arrivals_ms[-COUNTED - 1], self.arrivals_ms[-1])

    @property
    def growth(self) -> float:
        """Not defined where a page so busy that all came at once had no task in between."""
        return self.last_ms / self.first_ms if self.first_ms and self.last_ms else math.nan

    def drawn_frames(self, hundredths: float) -> float:
        """How many frames after it arrived a token was drawn."""
        return percentile(self.drawing_ms, hundredths) / FRAME_MS


LONG, FOUR = Case(1, 10_000, 1), Case(4, 2_000, 5)
FLOOR_OF_LONG = Case(1, 10_000, 1, is_floor=True)
SLOW = (Case(1, 10_000, 1, slower=4), Case(4, 2_000, 5, slower=4))
CASES = (FLOOR_OF_LONG, FOUR, *SLOW)


def measure(quick: bool) -> Section:
    """Measure the page."""
    with serving("serve", "--no-log-streams") as server, chromium.browser() as browser:
        url = f"http://{server.host}:{server.port}"
        runs = [run(browser, url, LONG) for _ in range(1 if quick else ROUNDS)]
        loads = loading.loads(server, quick)
        if quick:
            return Section("The page", ratios=_ratios(runs, loads))
        found = {LONG: runs[0]} | {case: run(browser, url, case) for case in CASES}
        opened, slower = loading.opened(browser, url), loading.opened(browser, url, slower=4)
    return section(found, runs, loads, opened, slower)


def section(
    found: dict[Case, Found],
    runs: Sequence[Found],
    loads: loading.Loads,
    opened: Sequence[loading.Opened],
    slower: Sequence[loading.Opened],
) -> Section:
    """Say what was found: of each case, of the case that was run several times, and of loading."""
    return Section(
        title="The page",
        sentences=(HOW,),
        tables=(_runs(found), _aims(found, opened), loading.table(loads, opened, slower)),
        ratios=_ratios(runs, loads),
        faults=[f"{each.outside} requests to another host" for each in opened if each.outside],
    )


def run(browser: Browser, url: str, case: Case) -> Found:
    """Run it once, on a page of its own."""
    traces: list[Trace] = []
    with chromium.page(browser, url, case.slower) as page:
        _open(page, case)
        page.wait_for_timeout(SETTLED_MS)
        before_mb = chromium.heap_mb(page)
        with chromium.traced(browser, page, traces):
            if case.is_floor:
                page.evaluate("begin()")
                page.wait_for_function("window.result", polling=500, timeout=PATIENCE_MS)
            else:
                page.keyboard.press("Space")
                page.wait_for_function(IS_OVER, polling=500, timeout=PATIENCE_MS)
            page.wait_for_timeout(SETTLED_MS)
        heap_mb = chromium.heap_mb(page) - before_mb
        shift = page.evaluate("window.shift")
        tokens = [token for lane in _result(page, case)["lanes"] for token in lane["tokens"]]
    arrivals = sorted(token["arrival_ms"] for token in tokens)
    return Found(traces[0], arrivals, [each["drawn_ms"] - each["arrival_ms"] for each in tokens], heap_mb, shift)


def _open(page: Page, case: Case) -> None:
    if case.is_floor:
        page.route("**/floor*", _floor)
        page.goto("/floor" + case.query)
    else:
        page.goto("/" + case.query)
        page.locator(".answer").first.wait_for()
    page.evaluate("window.shift = 0")


def _floor(route: Route) -> None:
    route.fulfill(body=FLOOR, content_type="text/html")


def _result(page: Page, case: Case) -> Any:
    """What the page has measured itself, as it is saved."""
    if case.is_floor:
        return page.evaluate("window.result")
    page.locator("#take-away").click()
    with page.expect_download() as download:
        page.locator("#save-json").click()
    return json.loads(Path(download.value.path()).read_text())


def _runs(found: dict[Case, Found]) -> Table:
    header = (
        *("run", "long tasks", "by CPU", "longest, ms", "frames", "dropped", "drawn p50", "drawn p99"),
        *("first, ms", "last, ms", "last ÷ first", "heap, MB", "layout shift"),
    )
    long, floor = found[LONG], found[FLOOR_OF_LONG]
    says = (
        f"A token costs the main thread {figure(long.last_ms, 0)} µs at the end of {LONG.tokens:,} and "
        f"{figure(long.first_ms, 0)} µs at their beginning, {figure(floor.last_ms, 0)} and "
        f"{figure(floor.first_ms, 0)} µs on the bare page:"
    )
    return Table(says, header, [_row(case, each) for case, each in found.items()])


def _row(case: Case, found: Found) -> tuple[str, ...]:
    trace = found.trace
    return (
        case.name,
        str(len(trace.long)),
        str(len(trace.long_by_cpu)),
        figure(trace.longest_ms, 0),
        str(trace.frames),
        str(trace.dropped),
        *(figure(found.drawn_frames(hundredths), 2) for hundredths in (50, 99)),
        *(figure(ms, 0) for ms in (found.first_ms, found.last_ms)),
        figure(found.growth, 2),
        figure(found.heap_mb, 1),
        figure(found.shift, 3),
    )


def _aims(found: dict[Case, Found], opened: Sequence[loading.Opened]) -> Table:
    rows = [
        aim
        for case in (LONG, FOUR, *SLOW)
        for aim in (
            (f"{case.name}: tasks over 50 ms", 0, len(found[case].trace.long)),
            (f"{case.name}: the same by CPU time", 0, len(found[case].trace.long_by_cpu)),
            (f"{case.name}: cost of the last 1,000 ÷ the first 1,000", 1.5, found[case].growth),
            (f"{case.name}: drawn after, p50, in frames", 1, found[case].drawn_frames(50)),
            (f"{case.name}: drawn after, p99, in frames", 2, found[case].drawn_frames(99)),
        )
    ]
    return aims(
        "Aims:",
        (
            *rows,
            ("a first load: kB", 80, opened[0].bytes / 1000),
            ("a first load: requests to other hosts", 0, sum(each.outside for each in opened)),
            ("a first load: layout shift", 0, round(loading.worst_shift(opened), 2)),
        ),
    )


def _ratios(runs: Sequence[Found], loads: loading.Loads) -> dict[str, Spread]:
    return {
        "page: cost of the last 1,000 tokens ÷ the first 1,000": Spread(tuple(each.growth for each in runs)),
        "page: server's CPU for a load ÷ that for its files from the disk": Spread(tuple(loads.ratios)),
    }

"""Chromium with its tracing on: what the page's main thread did, when, and what became of the frames."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.conftest import FLAGS
from tools import chromium

FRAME_MS = 1000 / 60
LONG_MS = 50
CATEGORIES = [
    "toplevel",  # every task of a thread
    "blink.user_timing",  # the page's marks
    "disabled-by-default-devtools.timeline.frame",
]
# Marks when the stream is asked for; notes each shift of the layout, which no input excuses.
PROBES = """
{
  const { EventSource } = window;
  window.EventSource = class extends EventSource {
    constructor(...options) {
      super(...options);
      performance.mark("asked");
    }
  };
  window.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
  }).observe({ type: "layout-shift", buffered: true });
}
"""


@dataclass(frozen=True)
class Task:
    """Something that the main thread did, without a pause; ms since the stream was asked for."""

    at_ms: float
    took_ms: float
    cpu_ms: float  # less than it took, where something else had the core meanwhile


@dataclass(frozen=True)
class Trace:
    """What was recorded after the stream had been asked for."""

    tasks: tuple[Task, ...]
    frames: int  # shown
    dropped: int

    @property
    def long(self) -> list[Task]:
        """Those that the W3C calls long."""
        return [task for task in self.tasks if task.took_ms > LONG_MS]

    @property
    def long_by_cpu(self) -> list[Task]:
        """Those that would be long also on a machine that does nothing else."""
        return [task for task in self.tasks if task.cpu_ms > LONG_MS]

    @property
    def longest_ms(self) -> float:
        return max(task.took_ms for task in self.tasks)

    def cost_ms(self, from_ms: float, to_ms: float) -> float:
        """Return the CPU time of the tasks that began between two moments."""
        return sum(task.cpu_ms for task in self.tasks if from_ms <= task.at_ms < to_ms)


@contextmanager
def browser() -> Iterator[Browser]:
    """Start a headless Chromium."""
    path = chromium.find()
    assert path, "There is no Chromium: `make test` installs one, or says how to."
    with sync_playwright() as playwright:
        yield playwright.chromium.launch(executable_path=path, args=FLAGS)


@contextmanager
def page(browser: Browser, url: str, slower: int = 1) -> Iterator[Page]:
    """Open a page of 1280×720 on a CPU made so many times slower."""
    context = browser.new_context(base_url=url, viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.add_init_script(PROBES)
    context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
    yield page
    context.close()


@contextmanager
def traced(browser: Browser, page: Page, into: list[Trace]) -> Iterator[None]:
    """Record what is done meanwhile."""
    browser.start_tracing(page=page, categories=CATEGORIES)
    yield
    into.append(read(json.loads(browser.stop_tracing())["traceEvents"]))


def read(events: list[dict[str, Any]]) -> Trace:
    """Find what belongs to the page's main thread, which is the one that marked."""
    asked = next(event for event in events if event["name"] == "asked")
    ours = [event for event in events if event["pid"] == asked["pid"] and event["ts"] >= asked["ts"]]
    tasks = [
        Task((event["ts"] - asked["ts"]) / 1000, event["dur"] / 1000, event.get("tdur", event["dur"]) / 1000)
        for event in ours
        if event["tid"] == asked["tid"] and event["name"].endswith("RunTask") and "dur" in event
    ]
    names = [event["name"] for event in ours]
    return Trace(tuple(tasks), names.count("DrawFrame"), names.count("DroppedFrame"))


def heap_mb(page: Page) -> float:
    """Return what the page's scripts hold, after what they no longer need was thrown away."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used: float = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used / 2**20

"""What tests of the stage say again and again, in the words of somebody who uses it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

# Notes every EventSource that the page opens, so that a test can ask whether all of them are closed.
WATCH_STREAMS = """
  window.streams = [];
  window.EventSource = class extends EventSource {
    constructor(url) { super(url); window.streams.push(this); }
  };
"""

# On a busy machine the page has long tasks, after which it says no more that a stream is buffered.
NEVER_BUSY = "window.PerformanceObserver = class { observe() {} };"


def open_stage(page: Page, query: str = "") -> None:
    """Open the stage and wait until it knows its plan."""
    page.add_init_script(WATCH_STREAMS)
    page.goto(f"./?{query}" if query else "./")
    answer(page).wait_for()


def present(page: Page, slug: str) -> None:
    """Open a scene and wait until it knows its plan; before that its answers are not shown."""
    page.add_init_script(WATCH_STREAMS)
    page.goto(f"/scenes/{slug}")
    expect(page.locator("body")).to_have_attribute("data-presenting", "")
    expect(page.locator("body")).not_to_have_attribute("data-unplanned", "")


def answer(page: Page, lane: int = 0) -> Locator:
    return page.locator(f".answer[data-lane='{lane}']")


def text(page: Page, lane: int = 0) -> str:
    """The text of an answer as the page holds it, its paragraphs joined as the server sent them."""
    paragraphs: list[str] = answer(page, lane).locator(".text p").evaluate_all("ps => ps.map(p => p.textContent)")
    return "\n\n".join(paragraphs)


def start(page: Page) -> None:
    page.locator("#start").click()


def wait_until_over(page: Page, lane: int = 0, state: str = "done", timeout: float = 30_000) -> None:
    page.locator(f".answer[data-lane='{lane}'][data-state='{state}']").wait_for(timeout=timeout)


def clock_ms(page: Page) -> int:
    return number(page.locator("#clock .elapsed strong").inner_text())


def number(words: str) -> int:
    """The first number in words: 1004 of "1,004 ms"."""
    found = re.search(r"\d[\d,]*", words)
    assert found, f"no number in {words!r}"
    return int(found[0].replace(",", ""))


def open_streams(page: Page) -> int:
    """How many of the streams that were ever opened are not closed (readyState 2)."""
    count: int = page.evaluate("() => window.streams.filter(stream => stream.readyState !== 2).length")
    return count

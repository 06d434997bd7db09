"""How the page comes: everything once, at once, compressed, from this server; and nothing again the next time."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Of each file that the page asked for, what was sent for it: 0 where the browser had kept it.
LINKED = "() => [...document.head.querySelectorAll('script, link')].map(({ src, href }) => src ?? href)"
FILES = """() => performance.getEntriesByType("resource")
  .filter(({ name }) => name.includes("/static/"))
  .map(({ name, transferSize, encodedBodySize, decodedBodySize }) =>
    ({ name, transferSize, encodedBodySize, decodedBodySize }))"""

SHIFTS = """
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { sources } of list.getEntries()) window.shifts.push(sources.map(({ node }) => node?.id));
  }).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("path", ["/", "/scenes/the-loop", "/speaker"])
def test_the_page_asks_for_its_files_itself_and_for_each_once(page: Page, path: str) -> None:
    asked = Counter[str]()
    page.on("request", lambda request: asked.update([request.url]))
    page.goto(path, wait_until="networkidle")
    assert [url for url, times in asked.items() if times > 1] == []
    assert {file["name"] for file in page.evaluate(FILES)} == set(page.evaluate(LINKED))


def test_the_files_are_compressed_and_not_asked_for_again(page: Page) -> None:
    page.goto("/", wait_until="networkidle")
    files = page.evaluate(FILES)
    assert sum(file["encodedBodySize"] for file in files) < sum(file["decodedBodySize"] for file in files) / 2
    page.goto("/?lane=tokens:5", wait_until="networkidle")
    again = page.evaluate(FILES)
    assert {file["name"] for file in again} == {file["name"] for file in files}
    assert [file["name"] for file in again if file["transferSize"]] == []


def test_everything_together_weighs_less_than_90_kb(page: Page) -> None:
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.goto("/", wait_until="networkidle")
    assert len(sizes) <= 8
    assert sum(sizes) < 90_000


@pytest.mark.parametrize("path", ["/", "/?lane=tokens:10000,delay_ms:1", "/scenes/the-loop", "/scenes/two-levers"])
def test_nothing_jumps_while_the_page_is_loaded(page: Page, path: str) -> None:
    page.add_init_script(SHIFTS)
    page.goto(path, wait_until="networkidle")
    expect(page.locator("body")).to_have_attribute("data-ready", "")
    assert page.evaluate("window.shifts") == []


def test_without_its_plan_the_page_is_shown_all_the_same(page: Page, allowed: list[str]) -> None:
    allowed.append("ERR_FAILED")
    page.route("**/plan?*", lambda route: route.abort())
    page.goto("/")
    expect(page.locator("#start")).to_be_visible()
    expect(page.locator("body")).not_to_have_attribute("data-ready", "")

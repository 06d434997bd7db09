"""What must be seen without scrolling, on a projector and on a phone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

LANE = "lane=tokens:100,delay_ms:20"
QUERIES = [
    LANE,
    f"{LANE}&{LANE},delivery:whole",
    f"{LANE}&{LANE},jitter:0.5&{LANE},delivery:whole",
    f"{LANE}&{LANE},jitter:0.5&{LANE},delivery:whole&{LANE},fail_at:50",
]
OVERFLOWS = """() => [...document.querySelectorAll(".answer, .answer footer, .figure, .clock, .controls, .names")]
  .filter((e) => e.scrollWidth > e.clientWidth + 1 || (e.matches(".answer") && e.scrollHeight > e.clientHeight))
  .map((e) => `${e.className}: ${e.textContent.trim().slice(0, 60)}`)"""


def overflows(page: Page) -> list[str]:
    found: list[str] = page.evaluate(OVERFLOWS)
    return found


@pytest.mark.parametrize("query", QUERIES, ids=["one", "two", "three", "four"])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)], ids=["projector", "large"])
def test_the_stage_fits_without_scrolling(
    open_page: Callable[..., Page], query: str, size: tuple[int, int]
) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]})
    stage.open_stage(page, query)
    seen = [overflows(page)]
    stage.start(page)
    expect(stage.answer(page).locator(".token").first).to_be_attached()
    seen.append(overflows(page))
    for lane in range(query.count("lane")):
        stage.wait_until_over(page, lane, "failed" if lane == 3 else "done")
    seen.append(overflows(page))
    assert seen == [[], [], []]
    for selector in ("#start", "#tokens", "#delay_ms", "#ttft_ms", "#whole .labels", "#clock .result"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    assert page.evaluate("() => document.querySelector('.screen').scrollHeight <= innerHeight")
    controls = page.locator("#controls").bounding_box()
    assert controls is not None
    assert controls["height"] < size[1] / 10  # the bar is one line


LONG_WAITS = "&".join(["lane=tokens:10000,delay_ms:1,ttft_ms:60000,title:" + "W" * 40] * 4)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["projector", "phone"])
def test_long_waits_long_titles_and_a_stop_fit_too(
    open_page: Callable[..., Page], count: int, size: tuple[int, int]
) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]})
    page.clock.install()
    stage.open_stage(page, "&".join(LONG_WAITS.split("&")[:count]))
    stage.start(page)
    stage.wait_until_over(page, state="waiting")
    page.clock.fast_forward(12_345)
    assert stage.clock_ms(page) >= 12_345
    seen = [overflows(page)]
    page.locator("#start").click()
    stage.wait_until_over(page, state="stopped")
    seen.append(overflows(page))
    assert seen == [[], []]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_nothing_jumps_while_a_run_goes_on(page: Page) -> None:
    stage.open_stage(page, QUERIES[1])
    places = """() => [".answer", "#whole", "#controls", ".answer footer"].map((selector) => {
      const { y, height } = document.querySelector(selector).getBoundingClientRect();
      return [y, height];
    })"""
    before = page.evaluate(places)
    stage.start(page)
    stage.wait_until_over(page, 1)
    assert page.evaluate(places) == before


def test_on_a_phone_a_pair_its_figures_and_start_fit_one_screen(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    stage.open_stage(page, QUERIES[1])
    stage.start(page)
    stage.wait_until_over(page, 1)
    for selector in ("#start", "#clock .elapsed", ".answer >> nth=0", ".answer >> nth=1"):
        expect(page.locator(selector)).to_be_in_viewport(ratio=1)
    start, last = (page.locator(selector).bounding_box() for selector in ("#controls", ".answer >> nth=1"))
    assert start is not None
    assert last is not None
    assert last["y"] + last["height"] <= start["y"]
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    page.locator("#open-settings").click()
    expect(page.locator("#one-tokens")).to_be_in_viewport(ratio=1)

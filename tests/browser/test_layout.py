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


PLACES = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const tops = all(".answer .first, .answer .whole").map((e) => e.offsetTop);
  const boxes = all(
    "#answers, .answer, .answer footer, #whole, #controls, #clock .result, #charts .plot, #measures .run tr"
  ).map((e) => [e.offsetTop, e.offsetLeft, e.offsetHeight]);
  return [...tops, ...boxes];
}"""


@pytest.mark.parametrize(
    "query", [*QUERIES[:3], f"{QUERIES[2]}&{LANE},growth_ms:1"], ids=["one", "two", "three", "four"]
)
@pytest.mark.parametrize("size", [(1280, 720), (390, 844)], ids=["projector", "phone"])
def test_nothing_jumps_while_a_run_goes_on(
    open_page: Callable[..., Page], query: str, size: tuple[int, int]
) -> None:
    page = open_page(viewport={"width": size[0], "height": size[1]})
    stage.open_stage(page, query)
    before = page.evaluate(PLACES)
    stage.start(page)
    expect(page.locator("[data-row='ttftMs'] td").first).not_to_contain_text("–")
    assert page.evaluate(PLACES) == before
    for lane in range(query.count("lane")):
        stage.wait_until_over(page, lane)
    expect(page.locator("#visits tbody")).to_be_attached()
    assert page.evaluate(PLACES)[: len(before)] == before  # the runs of this visit come below


def test_a_clock_of_five_digits_moves_nothing_beside_it(page: Page) -> None:
    page.clock.install()
    stage.open_stage(page, "lane=tokens:1,ttft_ms:60000")
    formula = page.locator("#clock .result")
    place = "e => [e.offsetLeft, e.offsetTop]"
    before = formula.evaluate(place)
    stage.start(page)
    stage.wait_until_over(page, state="waiting")
    page.clock.fast_forward(12_345)
    assert stage.clock_ms(page) >= 12_345
    assert formula.evaluate(place) == before


def test_a_pair_on_a_projector_shows_six_lines_of_each_answer(page: Page) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    stage.open_stage(page, QUERIES[1])
    lines = "e => e.clientHeight / parseFloat(getComputedStyle(e).lineHeight)"
    assert page.locator(".text").first.evaluate(lines) >= 5.9


WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((e) => !e.closest(".scroller") && e.getBoundingClientRect().right > innerWidth)
  .map((e) => e.className)"""


@pytest.mark.parametrize("query", QUERIES, ids=["one", "two", "three", "four"])
def test_the_smallest_phone_scrolls_down_and_not_aside(open_page: Callable[..., Page], query: str) -> None:
    page = open_page(viewport={"width": 320, "height": 640})
    stage.open_stage(page, query)
    stage.start(page)
    stage.wait_until_over(page)
    assert page.evaluate(WIDE) == []


def test_the_visitors_own_colours_keep_the_line_and_the_marks(open_page: Callable[..., Page]) -> None:
    page = open_page(forced_colors="active")
    stage.open_stage(page, QUERIES[1])
    background = "e => getComputedStyle(e).backgroundColor"
    paper = page.locator("html").evaluate(background)
    for thing in ("#whole .line", "#whole .flag", ".answer .mark", ".answer .caret", "#start"):
        assert page.locator(thing).first.evaluate(background) != paper, thing


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

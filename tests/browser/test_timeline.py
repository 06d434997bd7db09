"""The timeline's pixels: the 100 ms line at one place for all answers, and a steady run that looks steady."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

# The columns of an axis in which the middle of a row has ink, at one device pixel a CSS pixel.
INK = """(id, row) => {
  const canvas = document.querySelector(`#${id} canvas`);
  const band = document.querySelectorAll(`#${id} .band`)[row];
  const y = band.offsetTop + Math.round(band.offsetHeight / 2);
  const { data } = canvas.getContext("2d").getImageData(0, y, canvas.width, 1);
  return Array.from({ length: canvas.width }, (_, x) => x).filter((x) => data[4 * x + 3] > 0);
}"""


def ink(page: Page, axis: str, row: int) -> list[int]:
    columns: list[int] = page.evaluate(f"([id, row]) => ({INK})(id, row)", [axis, row])
    return columns


def ticks(columns: list[int]) -> list[int]:
    """The first column of each run of neighbouring ones."""
    return [column for before, column in pairwise([-2, *columns]) if column != before + 1]


def line_px(page: Page, axis: str) -> float:
    """Where the 100 ms line ends, which is where a token of exactly 100 ms begins."""
    place: float = page.evaluate(
        """id => {
          const line = document.querySelector(`#${id} .line`).getBoundingClientRect();
          return line.right - document.querySelector(`#${id} .rows`).getBoundingClientRect().left;
        }""",
        axis,
    )
    return place


def test_a_steady_run_looks_steady(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:10,ttft_ms:0")
    gaps = {after - before for before, after in pairwise(ticks(ink(page, "whole", 0)))}
    assert max(gaps) - min(gaps) <= 1


@pytest.mark.parametrize("seconds", [0.5, 1, 10, 60])
def test_the_first_100_ms_are_at_least_80_pixels_wide_somewhere(page: Page, seconds: float) -> None:
    stage.open_stage(page, f"lane=tokens:100,delay_ms:{seconds * 10}&lane=tokens:10,delay_ms:{seconds * 100}")
    axis = "whole" if page.locator("#strip").is_hidden() else "strip"
    assert line_px(page, axis) >= 80
    assert page.locator(f"#{axis} .flag").inner_text() == "100 ms"
    bottom = page.locator(f"#{axis} .line").bounding_box()
    rows = page.locator(f"#{axis} .rows").bounding_box()
    assert bottom is not None
    assert rows is not None
    assert bottom["y"] <= rows["y"]  # one line, through all rows
    assert bottom["y"] + bottom["height"] >= rows["y"] + rows["height"]


def test_the_tenth_token_of_the_worked_example_begins_where_the_line_ends(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:10,ttft_ms:10")
    # the wait for the first token is hatched; after it come the ticks of tokens 2, 3, …
    after_the_wait = [tick for tick in ticks(ink(page, "whole", 0)) if tick > line_px(page, "whole") / 5]
    assert line_px(page, "whole") in after_the_wait
    assert sum(tick < line_px(page, "whole") for tick in after_the_wait) <= 9


def test_ten_thousand_tokens_are_drawn_as_density_on_whole_pixels(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:10000,delay_ms:1")
    width = page.locator("#whole .rows").evaluate("e => e.clientWidth")
    assert len(ink(page, "whole", 0)) > width * 0.9


def test_all_at_once_is_told_apart_by_shape_not_by_colour_alone(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:50,delay_ms:40&lane=tokens:50,delay_ms:40,delivery:whole")
    shapes = [
        stage.answer(page, n).locator(".mark").evaluate("e => getComputedStyle(e).borderRadius") for n in (0, 1)
    ]
    assert shapes[0] != shapes[1]
    streamed, whole = (len(ticks(ink(page, "whole", row))) for row in (0, 1))
    assert streamed > 40
    assert whole > 40  # hatched from the start to the end


TOO_CLOSE = """() => [...document.querySelectorAll(".axis .labels")].flatMap((labels) => {
  const places = [...labels.querySelectorAll("span > span")].filter((label) => label.offsetParent)
    .map((label) => [label.getBoundingClientRect(), label.textContent]);
  return places.slice(1).filter(([place], n) => place.left < places[n][0].right + 4).map(([, words]) => words);
})"""


@pytest.mark.parametrize("width", [1024, 1280, 1920])
@pytest.mark.parametrize("lanes", ["lane=tokens:100,delay_ms:10", "lane=tokens:100,delay_ms:50"])
def test_while_presenting_no_label_stands_on_another_though_the_last_has_its_unit(
    open_page: Callable[..., Page], width: int, lanes: str
) -> None:
    page = open_page(viewport={"width": width, "height": width * 9 // 16})
    stage.open_stage(page, lanes)
    page.keyboard.press("p")
    expect(page.locator("body")).to_have_attribute("data-presenting", "")
    unit = page.locator("#whole .labels [data-unit]")
    expect(unit).to_have_css("font-size", f"{8 + width / 80:g}px")  # as large as presenting makes it
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(TOO_CLOSE) == []

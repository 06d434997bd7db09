"""Slow motion and the freeze at 100 ms, by key and by button."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAIR = "lane=tokens:40,delay_ms:10&lane=tokens:40,delay_ms:10,delivery:whole"


@pytest.fixture
def finished(page: Page) -> Page:
    stage.open_stage(page, PAIR)
    stage.start(page)
    for lane in (0, 1):
        stage.wait_until_over(page, lane)
    return page


def figures(page: Page) -> list[str]:
    found: list[str] = page.locator(".answer .figure, #clock .result").all_inner_texts()
    return found


def toggle_freeze(page: Page, how: str) -> None:
    if how == "key":
        page.keyboard.press("z")
    else:
        page.locator("#freeze").click()


@pytest.mark.parametrize("how", ["key", "button"])
def test_frozen_both_answers_stand_as_they_stood_at_100_ms(finished: Page, how: str) -> None:
    page, before = finished, figures(finished)
    toggle_freeze(page, how)
    expect(page.locator("#clock .hundreds")).to_contain_text("as it stood at 100 ms")
    assert stage.clock_ms(page) == 100
    assert stage.number(stage.answer(page, 0).locator(".whole .caption").inner_text()) <= 9
    assert stage.answer(page, 1).locator(".whole .caption").inner_text() == "0 of 40 tokens"
    toggle_freeze(page, how)
    expect(page.locator("#clock .hundreds")).not_to_contain_text("as it stood")
    assert figures(page) == before


@pytest.mark.parametrize("how", ["key", "button"])
def test_slow_motion_replays_the_run_and_changes_no_measure(finished: Page, how: str) -> None:
    page, before = finished, figures(finished)
    if how == "key":
        page.keyboard.press("s")
    else:
        page.locator("#slow").click()
    expect(page.locator("#clock .hundreds")).to_contain_text("in slow motion, 10 times slower")
    expect(stage.answer(page, 0)).to_have_attribute("data-state", "streaming")
    expect(stage.answer(page, 1)).to_have_attribute("data-state", "waiting")
    stage.wait_until_over(page, 1)
    expect(page.locator("#clock .hundreds")).not_to_contain_text("slow motion")
    assert figures(page) == before
    assert page.evaluate("() => window.streams.length") == 1


def test_before_a_run_there_is_nothing_to_look_at(page: Page) -> None:
    stage.open_stage(page, PAIR)
    expect(page.locator("#slow")).to_be_disabled()
    expect(page.locator("#freeze")).to_be_disabled()
    page.keyboard.press("s")
    page.keyboard.press("z")
    expect(page.locator("body")).to_have_attribute("data-look", "live")

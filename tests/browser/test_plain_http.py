"""On a local network the page comes over plain http, where browsers hold back what needs a secure context."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


@pytest.fixture
def page(open_page: Callable[..., Page], server: str, allowed: list[str]) -> Page:
    """A page at a name that is no loopback to the browser."""
    address = server.replace("127.0.0.1", "trickle.test")
    allowed.append(f"asked: {address}/")
    page = open_page(base_url=address)
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    assert not page.evaluate("() => isSecureContext")
    return page


def test_a_run_its_measures_and_its_picture_need_no_secure_context(page: Page) -> None:
    stage.start(page)
    stage.wait_until_over(page)
    page.locator("#take-away").click()
    expect(page.locator("#card")).to_have_js_property("naturalWidth", 2400)


def test_what_can_not_be_copied_is_selected_instead(page: Page) -> None:
    page.locator("#open-share").click()
    page.locator("#copy-link").click()
    expect(page.locator("#copied")).to_contain_text("it is selected")
    assert page.evaluate("() => getSelection().toString()") == page.locator("#link").input_value()


def test_a_talk_and_its_speakers_window_need_no_secure_context(page: Page) -> None:
    page.keyboard.press("F5")
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    expect(opened.value.locator("#where")).to_have_text("now: scene 1 of 14")
    page.keyboard.press("f")  # no full screen here, and no error either
    page.keyboard.press("j")
    expect(page.locator("#join .address")).to_contain_text("trickle.test")

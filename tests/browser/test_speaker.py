"""The speaker's window: it follows the page that presents, leads it, and says when it is gone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

@pytest.fixture
def windows(page: Page) -> tuple[Page, Page]:
    """The page that presents, and its speaker's window."""
    stage.present(page, "one-answer")
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    speaker = opened.value
    expect(speaker.locator("#where")).to_have_text("now: scene 2 of 14")
    return page, speaker


def test_the_speakers_window_follows_without_a_stream_of_its_own(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    expect(speaker.locator("#now-title")).to_have_text("Watch one answer")
    expect(speaker.locator("#then-title")).to_have_text("The loop, slowly")
    expect(speaker.locator("#notes")).to_contain_text("Ask for a number before you start")
    expect(speaker.locator("#pace")).to_have_text(re.compile("min ahead|on time"))
    requests: list[str] = []
    speaker.on("request", lambda request: requests.append(request.url))
    page.keyboard.press("PageDown")
    stage.wait_until_over(page)
    expect(speaker.locator("#figures li")).to_have_text(re.compile(r"Streamed: \d+ ms; whole 1,\d+ ms"))
    assert [url for url in requests if "/stream" in url] == []


def test_the_speakers_window_leads_too(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    speaker.get_by_role("button", name="Black").click()
    expect(page.locator("body")).to_have_attribute("data-black", "")
    speaker.keyboard.press("PageDown")
    expect(page.locator("body")).not_to_have_attribute("data-black", "")
    speaker.get_by_role("button", name="Next").click()
    stage.wait_until_over(page)
    speaker.keyboard.press("PageUp")
    expect(page.locator("body")).to_have_attribute("data-line", "ask")
    speaker.keyboard.press("PageUp")
    expect(speaker.locator("#where")).to_have_text("now: scene 1 of 14")


AN_HOUR_LATER = """() => {
  const { now } = Date;
  Date.now = () => now() + 3_600_000;
}"""


def test_keys_pressed_in_the_speakers_window_are_pressed_on_the_page(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    speaker.get_by_role("button", name="Black").click()
    speaker.get_by_role("button", name="Black").click()
    for key in ("1", "2", "Enter"):  # the button that was clicked is not pressed again
        speaker.keyboard.press(key)
    expect(speaker.locator("#where")).to_have_text("now: scene 12 of 14")
    speaker.keyboard.press("j")
    expect(page.locator("#join")).to_be_visible()
    speaker.keyboard.press("Escape")
    expect(page.locator("#join")).to_be_hidden()
    speaker.keyboard.press("Escape")
    expect(page.locator("body")).not_to_have_attribute("data-presenting", "")
    page.evaluate(AN_HOUR_LATER)
    expect(speaker.locator("#time")).to_have_text(re.compile(r"^6\d:"))
    speaker.keyboard.press("F5")
    expect(speaker.locator("#where")).to_have_text("now: scene 1 of 14")
    expect(speaker.locator("#time")).to_have_text(re.compile(r"^\d:"))


def test_the_page_goes_on_when_a_talk_is_left_at_a_late_picture(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    for key in ("7", "Enter", "PageDown"):
        page.keyboard.press(key)
    for lane in (0, 1):
        stage.wait_until_over(page, lane)
    expect(page.locator("#start")).to_contain_text("Run again")
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    expect(page.locator("body")).to_have_attribute("data-shows", "picture")
    page.keyboard.press("Escape")
    expect(page.locator("body")).not_to_have_attribute("data-presenting", "")
    expect(speaker.locator("#said")).to_contain_text("not presenting")


def test_a_duplicated_tab_leaves_the_speakers_window_to_its_elder(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    kept = page.evaluate("() => JSON.stringify(sessionStorage)")
    twin = page.context.new_page()
    twin.add_init_script(f"Object.assign(sessionStorage, {kept})")
    twin.goto("/scenes/two-levers")
    twin.wait_for_function("() => sessionStorage.getItem('speaker') === ''")
    expect(speaker.locator("#where")).to_have_text("now: scene 2 of 14")
    speaker.keyboard.press("PageDown")
    stage.wait_until_over(page)
    expect(stage.answer(twin)).to_have_attribute("data-state", "idle")


def test_the_speakers_window_says_when_the_page_is_gone(windows: tuple[Page, Page]) -> None:
    page, speaker = windows
    page.close()
    expect(speaker.locator("#status")).to_contain_text("does not answer", timeout=15_000)

"""Keys: each does what the help says, and none where the focused element uses it itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

LANE = "lane=tokens:100,delay_ms:10"


def test_keys_change_n_and_t_of_all_answers_and_restore_them(page: Page) -> None:
    stage.open_stage(page, f"{LANE}&{LANE},delivery:whole")
    page.keyboard.press("]")
    expect(page.locator("#delay_ms")).to_have_value("20")
    page.keyboard.press("}")
    expect(page.locator("#tokens")).to_have_value("200")
    expect(page.locator("#clock .result")).to_contain_text("200 × 20 ms ≈ 4,000 ms")
    page.keyboard.press("{")
    page.keyboard.press("{")
    page.keyboard.press("[")
    page.keyboard.press("[")
    expect(page.locator("#clock .result")).to_contain_text("50 × 5 ms ≈ 250 ms")
    page.keyboard.press("0")
    expect(page).to_have_url(re.compile(f"{LANE}&{LANE},delivery:whole$"))


def test_the_help_lists_every_key_and_switches_them_off(page: Page) -> None:
    stage.open_stage(page, LANE)
    page.keyboard.press("?")
    help = page.get_by_role("dialog", name="Keys and words")
    for key in ("Space", "R", "S", "Z", "[", "]", "{", "}", "0", "T", "?", "Esc"):
        expect(help.locator("#keys dt", has_text=re.compile(f"^{re.escape(key)}$"))).to_be_visible()
    page.locator("#keys-on").uncheck()
    page.keyboard.press("Escape")
    expect(help).to_be_hidden()
    page.keyboard.press("]")
    page.keyboard.press("?")
    expect(help).to_be_hidden()
    page.keyboard.press("Space")
    expect(page.locator("#start")).to_contain_text("Stop")
    expect(page.locator("#delay_ms")).to_have_value("10")
    page.reload()
    expect(page.locator("#keys-on")).not_to_be_checked()


def test_a_key_does_nothing_where_the_focused_element_uses_it(page: Page) -> None:
    stage.open_stage(page, LANE)
    page.locator("#tokens").press("]")
    expect(page.locator("#delay_ms")).to_have_value("10")
    page.locator("#tokens").fill("100")
    page.locator("#open-share").focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("dialog", name="Take it away")).to_be_visible()
    page.keyboard.press("]")  # the page behind a dialog is out of reach
    page.keyboard.press("Escape")
    page.locator("#open-share").press("]")  # a button has no use for this one
    expect(page.locator("#delay_ms")).to_have_value("20")
    expect(page.locator("#start")).to_contain_text("Start")


def test_run_again_and_settings_and_theme_have_keys(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:50")
    page.keyboard.press("r")
    expect(page.locator("#start")).to_contain_text("Stop")
    page.keyboard.press("R")
    expect(page.locator("#start")).to_contain_text("Stop")
    assert page.evaluate("() => window.streams.length") == 2
    assert stage.open_streams(page) == 1
    page.keyboard.press("e")
    expect(page.get_by_role("dialog", name="Settings")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Settings")).to_be_hidden()
    before = page.locator("body").evaluate("e => getComputedStyle(e).color")
    page.keyboard.press("t")
    assert page.locator("body").evaluate("e => getComputedStyle(e).color") != before


def test_the_theme_is_kept_and_set_before_anything_is_drawn(page: Page) -> None:
    stage.open_stage(page, LANE)
    page.get_by_role("button", name="Theme").click()
    theme = page.locator("html").get_attribute("data-theme")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", str(theme))

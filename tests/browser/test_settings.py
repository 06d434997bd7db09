"""Fields, sliders and the address bar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def test_the_address_bar_holds_the_whole_state_and_opens_the_same_page_elsewhere(
    open_page: Callable[..., Page],
) -> None:
    page = open_page()
    stage.open_stage(page, "lane=tokens:100,delay_ms:10")
    page.locator("#tokens").fill("50")
    page.locator("#delay_ms").fill("20")
    page.locator("#ttft_ms").fill("300")
    page.locator("#open-settings").click()
    page.get_by_text("Text", exact=True).click()
    page.locator("#say").fill("one + two & three, 100%")
    expect(page.locator("#clock .result")).to_contain_text("50 × 20 ms ≈ 1,000 ms")
    expect(page).to_have_url(re.compile("say=one"))
    query = page.url.partition("?")[2]
    other = open_page()
    stage.open_stage(other, query)
    assert other.url == page.url
    expect(other.locator("#tokens")).to_have_value("50")
    expect(other.locator("#delay_ms")).to_have_value("20")
    expect(other.locator("#ttft_ms")).to_have_value("300")
    other.locator("#open-settings").click()
    expect(other.locator("#say")).to_have_value("one + two & three, 100%")


def test_names_that_links_gather_on_their_way_are_dropped(page: Page) -> None:
    stage.open_stage(page, "utm_source=mail&lane=tokens:7,delay_ms:10")
    assert page.url.endswith("/?lane=tokens:7,delay_ms:10")


def test_a_wrong_link_is_told_and_the_page_starts_from_the_defaults(page: Page, allowed: list[str]) -> None:
    allowed.append("400")
    stage.open_stage(page, "lane=tokens:0,delay_ms:nan")
    expect(page.get_by_text("This link could not be opened as it is")).to_be_visible()
    expect(page.locator("#tokens-problem")).to_contain_text("from 1 to 10,000")
    expect(page.locator("#delay_ms-problem")).to_contain_text('"nan" is not a number')
    stage.start(page)
    stage.wait_until_over(page)
    expect(page.get_by_text("This link could not be opened as it is")).to_be_hidden()  # it would cover the answers


@pytest.mark.parametrize("wrong", ["0", "10001", "1.5", "1e3", "-1", "", "１２", "1,000"])
def test_a_wrong_value_is_told_beside_its_field_and_never_sent(page: Page, wrong: str) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    page.locator("#tokens").fill(wrong)
    expect(page.locator("#tokens-problem")).to_contain_text("a whole number from 1 to 10,000")
    page.locator("#start").click()
    expect(page.locator("#tokens")).to_be_focused()
    assert sent == []
    page.locator("#tokens").fill("3")
    expect(page.locator("#tokens-problem")).to_be_empty()
    stage.start(page)
    stage.wait_until_over(page)


def test_the_first_token_follows_the_time_per_token_until_it_is_set(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    page.locator("#delay_ms").fill("30")
    expect(page.locator("#ttft_ms")).to_have_value("30")
    page.locator("#ttft_ms").fill("200")
    page.locator("#delay_ms").fill("40")
    expect(page.locator("#ttft_ms")).to_have_value("200")
    page.locator("#ttft_ms").fill("40")
    expect(page).to_have_url(re.compile(r"/\?lane=tokens:5,delay_ms:40$"))


def test_a_slider_and_its_field_say_the_same(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:10")
    page.locator("#controls [data-name='tokens'] [type='range']").fill("200")
    expect(page.locator("#tokens")).to_have_value("10000")
    expect(page).to_have_url(re.compile("tokens:10000"))


def test_a_run_that_would_last_too_long_is_refused_with_the_reason(page: Page, allowed: list[str]) -> None:
    allowed.append("400")
    stage.open_stage(page, "lane=tokens:10000,delay_ms:10")
    page.locator("#delay_ms").fill("10000")
    expect(page.locator("#problems")).to_contain_text("it would last 1,666.7 minutes, and may last 10 minutes")
    page.locator("#start").click()
    assert page.evaluate("() => window.streams.length") == 0


def test_a_preset_brings_its_numbers_its_title_and_its_source(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:20")
    stage.answer(page, 1).get_by_role("button", name="Edit").click()
    page.locator("#preset").select_option("DeepSeek-R1 interactive limit")
    expect(page.locator("#one-ttft_ms")).to_have_value("1500")
    expect(page.locator("#one-delay_ms")).to_have_value("15")
    expect(page.locator("#source")).to_contain_text("must keep, not a measurement")
    expect(stage.answer(page, 1).locator("h2")).to_have_text("DeepSeek-R1 interactive limit")


def test_a_preset_for_all_answers_shows_its_source_also_where_one_is_sent_all_at_once(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:10,delivery:whole")
    page.locator("#open-settings").click()
    page.locator("#preset").select_option("Llama2-70B interactive limit")
    expect(stage.answer(page, 0).locator("h2")).to_have_text("Llama2-70B interactive limit")
    expect(stage.answer(page, 1).locator("h2")).to_have_text("All at once")
    expect(page.locator("#preset option:checked")).to_have_text("Llama2-70B interactive limit")
    expect(page.locator("#source")).to_contain_text("must keep, not a measurement")


def test_every_preset_of_the_menu_can_be_chosen_and_stays_chosen_over_a_reload(page: Page) -> None:
    """Also two with the same numbers, as limits of two models may have."""
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    page.locator("#open-settings").click()
    menu, chosen = page.locator("#preset"), page.locator("#preset option:checked")
    titles = [title.strip() for title in page.locator("#preset option").all_inner_texts()[1:]]
    assert len(set(titles)) == len(titles) > 20
    for title in titles:
        menu.select_option(label=title)
        expect(chosen).to_have_text(title)
        expect(stage.answer(page).locator("h2")).to_have_text(title)
    menu.select_option(label="Mixtral-8x7B limit")
    expect(page).to_have_url(re.compile("Mixtral"))
    page.reload()
    page.locator("#open-settings").click()
    expect(chosen).to_have_text("Mixtral-8x7B limit")


def test_a_changed_preset_says_so_and_loses_its_title(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:20")
    stage.answer(page, 0).get_by_role("button", name="Edit").click()
    page.locator("#preset").select_option("Early stall")
    page.locator("#one-delay_ms").fill("200")
    expect(page.locator("#preset option:checked")).to_have_text("Early stall, changed")
    expect(stage.answer(page, 0).locator("h2")).not_to_contain_text("Early stall")
    page.locator("#one-delay_ms").fill("184")
    expect(page.locator("#preset option:checked")).to_have_text("Early stall")


def test_settings_from_a_link_are_known_as_the_preset_that_they_are(page: Page) -> None:
    stage.open_stage(page, "lane=preset:buffering-proxy")
    page.locator("#open-settings").click()
    expect(page.locator("#preset option:checked")).to_have_text("Buffering proxy")

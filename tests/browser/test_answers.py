"""One to four answers: added, doubled, renamed, taken out, each with its own state, all in the address bar."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

PAIR = "lane=tokens:100,delay_ms:10&lane=tokens:100,delay_ms:10,delivery:whole"


def settings_in(url: str) -> list[list[str]]:
    """Each lane's settings, in whatever order the address bar has them."""
    return [sorted(lane.split(",")) for lane in url.partition("?")[2].split("&")]


def titles(page: Page) -> list[str]:
    found: list[str] = page.locator(".answer h2").all_inner_texts()
    return found


def test_without_a_query_the_page_opens_with_the_pair_written_out(page: Page) -> None:
    stage.open_stage(page)
    assert titles(page) == ["Streamed", "All at once"]
    expect(page).to_have_url(
        re.compile(r"/\?lane=tokens:100,delay_ms:50&lane=tokens:100,delay_ms:50,delivery:whole$")
    )


def test_the_worked_example_is_one_click_away(page: Page) -> None:
    stage.open_stage(page)
    page.get_by_role("link", name="Example").click()
    expect(page).to_have_url(re.compile(PAIR.replace("?", r"\?") + "$"))


def test_the_pair_ends_together_and_the_streamed_one_is_seen_in_under_a_tenth(page: Page) -> None:
    stage.open_stage(page, PAIR)
    stage.start(page)
    for lane in (0, 1):
        stage.wait_until_over(page, lane)
    totals = [stage.number(stage.answer(page, n).locator(".whole .figure").inner_text()) for n in (0, 1)]
    firsts = [stage.number(stage.answer(page, n).locator(".first .figure").inner_text()) for n in (0, 1)]
    assert min(*totals, firsts[1]) >= 1000  # never early
    assert firsts[0] < totals[0] / 2  # a tenth on a quiet machine
    assert stage.text(page, 0) == stage.text(page, 1)
    assert page.evaluate("() => window.streams.length") == 1


def test_compare_adds_the_twin_that_is_sent_all_at_once(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:100,delay_ms:10")
    page.get_by_role("button", name="Compare: all at once").click()
    expect(page.locator(".answer")).to_have_count(2)
    assert titles(page) == ["Streamed", "All at once"]
    expect(page).to_have_url(re.compile(PAIR + "$"))


def test_answers_are_added_up_to_four_and_doubled_and_taken_out(page: Page) -> None:
    stage.open_stage(page, PAIR)
    page.get_by_role("button", name="+ Answer").click()
    expect(page.locator(".answer")).to_have_count(3)
    page.get_by_role("button", name="Edit All at once").click()
    page.get_by_role("button", name="Duplicate").click()
    expect(page.locator(".answer")).to_have_count(4)
    expect(page.get_by_role("button", name="+ Answer")).to_be_hidden()
    expect(page.get_by_role("button", name="Duplicate")).to_be_disabled()
    for count in (3, 2, 1):
        page.get_by_role("button", name="Remove").click()
        expect(page.locator(".answer")).to_have_count(count)
    expect(page.get_by_role("button", name="Remove")).to_be_disabled()


def test_a_link_gives_the_same_titles_settings_and_plan_in_a_fresh_profile(open_page: Callable[..., Page]) -> None:
    page = open_page()
    stage.open_stage(page, PAIR)
    page.get_by_role("button", name="Edit Streamed").click()
    page.locator("#title").fill("One by one")
    page.locator("#one-jitter, #settings summary").first.click()
    page.locator("#one-jitter").fill("0.5")
    page.locator("#one-stall_at").fill("20")
    expect(stage.answer(page, 0).locator("h2")).to_have_text("One by one")
    expect(page).to_have_url(re.compile("stall_ms:1000"))
    page.get_by_role("button", name="Share").click()
    link = page.locator("#link").input_value()
    other = open_page()
    stage.open_stage(other, link.partition("?")[2])
    assert titles(other) == ["One by one", "All at once"]
    assert settings_in(other.url) == settings_in(page.url)
    expect(other.locator("#clock .result")).to_have_text(page.locator("#clock .result").inner_text())


def test_one_answer_may_fail_while_the_others_go_on(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:30,delay_ms:10,fail_at:3&lane=tokens:30,delay_ms:10")
    stage.start(page)
    stage.wait_until_over(page, 0, "failed")
    stage.wait_until_over(page, 1, "done")
    expect(stage.answer(page, 0).locator(".whole .caption")).to_have_text("3 of 30 tokens")


def test_four_answers_start_together_on_one_connection(page: Page) -> None:
    page.add_init_script("""
      window.sent = [];
      window.EventSource = class extends EventSource {
        constructor(url) {
          super(url);
          this.addEventListener("token", ({ data }) => {
            const { i, sent_ms } = JSON.parse(data);
            if (i === 0) window.sent.push(sent_ms);
          });
        }
      };
    """)
    stage.open_stage(page, "&".join(["lane=tokens:20,delay_ms:20"] * 4))
    stage.start(page)
    for lane in range(4):
        stage.wait_until_over(page, lane)
    sent = page.evaluate("() => window.sent")
    assert len(sent) == 4
    assert len(set(sent)) == 1  # in the same write
    firsts = [stage.number(stage.answer(page, n).locator(".first .figure").inner_text()) for n in range(4)]
    assert max(firsts) - min(firsts) < 200  # within a frame on a quiet machine
    assert page.evaluate("() => window.streams.length") == 1


def test_a_slow_token_is_marked_and_what_a_token_is_can_be_shown(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:50,delay_ms:400")
    stage.start(page)
    expect(page.locator(".newest")).to_have_count(1)
    page.keyboard.press("k")
    shadow = page.locator(".token.odd").first.evaluate("e => getComputedStyle(e).boxShadow")
    assert shadow != "none"


def test_somebody_reads_along_when_asked(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:60,delay_ms:1")
    stage.start(page)
    stage.wait_until_over(page)
    assert page.locator(".read").count() == 0
    page.keyboard.press("m")
    expect(page.locator(".read").first).to_be_attached()
    expect(page.locator(".reader")).to_contain_text("ahead of a reader")
    page.keyboard.press("m")
    expect(page.locator(".read")).to_have_count(0)


@pytest.mark.parametrize("lane", [0, 1])
def test_at_the_end_the_end_of_the_text_is_seen(page: Page, lane: int) -> None:
    stage.open_stage(page, "lane=tokens:500,delay_ms:1&lane=tokens:500,delay_ms:1,delivery:whole")
    stage.start(page)
    stage.wait_until_over(page, lane)
    expect(stage.answer(page, lane).locator(".token").last).to_be_in_viewport(ratio=1)
    scroller = stage.answer(page, lane).locator(".text")
    assert scroller.evaluate("e => e.scrollHeight - e.scrollTop - e.clientHeight") <= 1

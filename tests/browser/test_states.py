"""The states of a run, told apart in words (RELIABILITY.md 27)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from playwright.sync_api import Page

# A stream whose server is the test: it sends what `say` is called with, and breaks off with `lose`.
FAKE_STREAM = """
  window.EventSource = class extends EventTarget {
    static last = null;
    readyState = 0;
    constructor(url) { super(); this.url = url; window.EventSource.last = this; }
    close() { this.readyState = 2; }
  };
  window.say = (name, data, lastEventId = "0-1") =>
    EventSource.last.dispatchEvent(new MessageEvent(name, { data: JSON.stringify(data), lastEventId }));
  window.lose = () => EventSource.last.dispatchEvent(new Event("error"));
"""


def open_with_fake_stream(page: Page, query: str, is_paused: bool = False) -> None:
    """Start a run; where a clock is installed and paused, it goes on only as the test says."""
    page.add_init_script(FAKE_STREAM)
    page.goto(f"/?{query}")
    stage.answer(page).wait_for()
    if is_paused:
        page.clock.pause_at(600_000)
    stage.start(page)


def status(page: Page) -> str:
    return stage.answer(page).locator(".first .caption").inner_text()


def say_token(page: Page, i: int) -> None:
    data = {"lane": 0, "i": i, "text": f" {i}", "due_ms": 10 * (i + 1), "sent_ms": 10 * (i + 1)}
    page.evaluate("([data, id]) => say('token', data, id)", [data, f"{i + 1}-1"])


def test_connecting_waiting_streaming_done(page: Page) -> None:
    open_with_fake_stream(page, "lane=tokens:2,delay_ms:10,ttft_ms:60000")
    caption = stage.answer(page).locator(".first .caption")
    expect(caption).to_have_text("connecting")
    page.evaluate("() => say('start', {})")
    expect(caption).to_have_text("waiting for the first token")
    say_token(page, 0)
    expect(caption).to_have_text("streaming")
    say_token(page, 1)
    page.evaluate("() => say('finish', { lane: 0, reason: 'stop' })")
    page.evaluate("() => say('done', {}, 'end-1')")
    expect(caption).to_have_text("first token after")


def test_a_token_that_is_three_seconds_overdue_is_told_a_planned_gap_never_is(page: Page) -> None:
    page.clock.install(time=0)
    open_with_fake_stream(page, "lane=tokens:2,delay_ms:10,ttft_ms:5000", is_paused=True)
    page.evaluate("() => say('start', {})")
    page.clock.run_for(7_500)
    expect(stage.answer(page)).to_have_attribute("data-state", "waiting")
    page.clock.run_for(1_000)
    expect(stage.answer(page)).to_have_attribute("data-state", "stalled")
    assert "overdue" in status(page)


def test_a_lost_connection_is_resumed_and_after_two_minutes_waits_to_be_asked(page: Page) -> None:
    page.clock.install()
    open_with_fake_stream(page, "lane=tokens:5,delay_ms:10")
    page.evaluate("() => say('start', {})")
    say_token(page, 0)
    page.evaluate("() => lose()")
    expect(stage.answer(page).locator(".first .caption")).to_have_text("connection lost, resuming")
    expect(page.locator("#notice")).to_contain_text("no token goes missing")
    for _ in range(20):
        page.clock.fast_forward(10_000)
        page.evaluate("() => EventSource.last.readyState === 2 || lose()")
    expect(page.locator("#start")).to_contain_text("Resume")
    expect(page.locator("#notice")).to_contain_text("Press Resume")
    page.locator("#start").click()
    assert page.evaluate("() => EventSource.last.url").endswith("last_event_id=1-1")


def test_a_server_that_stops_says_so(page: Page) -> None:
    open_with_fake_stream(page, "lane=tokens:5,delay_ms:10")
    page.evaluate("() => say('start', {})")
    page.evaluate("() => say('interrupted', { reason: 'shutdown' })")
    expect(stage.answer(page).locator(".first .caption")).to_have_text("the server is restarting, resuming")


def test_what_is_wrong_with_a_link_is_told_below_what_answers_are_called(page: Page, allowed: list[str]) -> None:
    allowed.append("400 (Bad Request)")
    page.goto("/?lane=tokens:0")
    title = stage.answer(page).locator("h2").bounding_box()
    box = page.locator("#refusal").bounding_box()
    assert title
    assert box
    assert box["y"] >= title["y"] + title["height"]


def test_a_refusal_gives_the_servers_reason(page: Page, allowed: list[str]) -> None:
    allowed.append("400")
    open_with_fake_stream(page, "lane=tokens:5,delay_ms:10")
    refusal = {"title": "Bad Request", "status": 400, "detail": "there is no such answer"}
    page.route(re.compile(r"/(plan|stream)\?"), lambda route: route.fulfill(status=400, json=refusal))
    page.evaluate("() => lose()")
    expect(page.locator("#notice")).to_have_text("The server refused: there is no such answer")
    expect(stage.answer(page)).to_have_attribute("data-state", "refused")
    expect(page.locator("#start")).to_contain_text("Run again")


def test_a_stream_that_comes_in_pieces_is_said_to_be_buffered(page: Page) -> None:
    page.add_init_script(stage.NEVER_BUSY)
    open_with_fake_stream(page, "lane=tokens:30,delay_ms:20")
    page.evaluate("() => say('start', {})")
    page.evaluate(
        """() => { for (let i = 0; i < 20; i += 1) {
          say("token", { lane: 0, i, text: " x", due_ms: 20 * (i + 1), sent_ms: 20 * (i + 1) }, `${i + 1}-1`);
        } }"""
    )
    expect(page.locator("#notice")).to_contain_text("buffering this stream")


def test_screen_readers_hear_at_most_four_sentences_a_run(page: Page) -> None:
    page.add_init_script("""
      window.heard = [];
      addEventListener("DOMContentLoaded", () => new MutationObserver(() => {
        window.heard.push(document.querySelector("#polite").textContent);
      }).observe(document.querySelector("#polite"), { childList: true, characterData: true, subtree: true }));
    """)
    stage.open_stage(page, "lane=tokens:50,delay_ms:5")
    stage.start(page)
    stage.wait_until_over(page)
    heard = [sentence for sentence in page.evaluate("() => window.heard") if sentence]
    assert 2 <= len(heard) <= 4
    assert "milliseconds" in heard[-1]

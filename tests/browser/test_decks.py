"""A presenter's own deck, while it is being written and shown."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from server.scenes.library import built_in
from tests.browser import stage
from tests.browser.conftest import watch
from tests.process import serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from playwright.sync_api import Browser, Page

import pytest

DECK = """
title = "Mine"
[[scenes]]
slug = "mine"
title = "{title}"
lanes = ["tokens:3,delay_ms:20"]
"""


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(DECK.format(title="Before"))
    return path


@pytest.fixture
def own(browser: Browser, deck: Path) -> Iterator[Page]:
    """A page of a server with a deck of one's own, whose every error fails the test."""
    wrong: list[str] = []
    with serving("serve", "--deck", str(deck)) as running, browser.new_context() as context:
        server = f"http://{running.host}:{running.port}"
        watch(context, server, wrong)
        page = context.new_page()
        page.goto(f"{server}/scenes/mine")
        yield page
        page.close()
    assert wrong == []


def test_a_deck_that_is_saved_is_shown_without_a_reload_by_hand(own: Page, deck: Path) -> None:
    expect(own.locator(".scene[data-shown] h2")).to_have_text("Before")
    deck.write_text(DECK.format(title="After it was saved"))
    expect(own.locator(".scene[data-shown] h2")).to_have_text("After it was saved", timeout=30_000)


def test_what_is_wrong_with_a_saved_deck_is_said_on_the_page(own: Page, deck: Path) -> None:
    deck.write_text(DECK.format(title="Wrong").replace("tokens:3", "tokens:0"))
    problems = own.locator(".deck-problems")
    expect(problems).to_contain_text("mine.toml has problems", timeout=30_000)
    expect(problems).to_contain_text("tokens")
    expect(own.locator(".scene[data-shown] h2")).to_have_text("Before")  # the last good version


def test_what_is_wrong_with_a_deck_does_not_lie_over_a_run_that_is_presented(own: Page, deck: Path) -> None:
    deck.write_text(DECK.format(title="Wrong").replace("tokens:3", "tokens:0"))
    problems = own.locator(".deck-problems")
    expect(problems).to_be_visible(timeout=30_000)
    own.keyboard.press("PageDown")
    stage.wait_until_over(own)
    expect(problems).to_be_hidden()
    own.keyboard.press("PageUp")
    expect(problems).to_be_visible()


@pytest.mark.parametrize("key", [" ", "r"])
def test_a_scene_that_only_says_something_runs_nothing_unseen(own: Page, deck: Path, key: str) -> None:
    said = '[[scenes]]\nslug = "said"\ntitle = "Said"\ntext = "Only this."\n'
    deck.write_text(DECK.format(title="Mine") + said)
    expect(own.locator(".scene")).to_have_count(2 + len(built_in().scenes), timeout=30_000)
    own.keyboard.press("2")
    own.keyboard.press("Enter")
    expect(own.locator(".scene[data-shown] h2")).to_have_text("Said")
    own.keyboard.press(key)
    own.keyboard.press("3")  # what is typed is seen in the frame in which a run would have begun, or later
    expect(own.locator("body")).to_have_attribute("data-typed", "3")
    expect(stage.answer(own)).to_have_attribute("data-state", "idle")


# As much as a deck may have of everything: a title, a text, four answers and what the room is asked.
FULL = f"""
title = "Full"
[[scenes]]
slug = "mine"
title = "{"Title of ten " * 6}"
text = '''
{"Ninety signs or fewer, as they come. " * 6}

- One item
- Another
'''
lanes = {[f"tokens:9,title:{'An answer ' * 4}".strip()] * 4}
ask = "{"Would you have thought so? " * 4}"
"""
# As much as a scene may say that shows nothing else.
TEXT_ALONE = f"""
title = "Text"
[[scenes]]
slug = "mine"
title = "{"Title of ten " * 6}"
text = '''
{"Ninety signs or fewer, as they come. " * 8}

{"- An item" + chr(10)}{("- Another item" + chr(10)) * 7}
'''
ask = "{"Would you have thought so? " * 4}"
"""

# A line is some px higher than its letters.
CUT_OFF = """() => [...document.querySelectorAll(".scene[data-shown] :is(h2, .says), .line-below, .answer h2")]
  .filter(element => {
    const { top, bottom } = element.getBoundingClientRect();
    const card = element.closest(".answer")?.getBoundingClientRect() ?? { top: 0, bottom: innerHeight };
    return bottom - top < 20 || top < card.top - 6 || bottom > card.bottom + 6;
  }).map(element => element.textContent)"""

OVER_THE_LINE = """() => {
  const line = document.querySelector("#line").getBoundingClientRect();
  return [...document.querySelectorAll(".scene[data-shown] .says > *")]
    .filter(element => element.getBoundingClientRect().bottom > line.top).map(element => element.textContent);
}"""


def test_the_fullest_scene_that_a_deck_may_have_fits_on_a_projector(own: Page, deck: Path) -> None:
    own.set_viewport_size({"width": 1280, "height": 720})
    deck.write_text(FULL)
    expect(own.locator(".scene[data-shown] .says")).to_contain_text("Another", timeout=30_000)
    expect(own.locator(".answer h2")).to_have_count(4)
    assert own.evaluate(CUT_OFF) == []


def test_the_longest_text_alone_fits_on_a_projector(own: Page, deck: Path) -> None:
    own.set_viewport_size({"width": 1280, "height": 720})
    deck.write_text(TEXT_ALONE)
    expect(own.locator(".scene[data-shown] .says li")).to_have_count(8, timeout=30_000)
    expect(own.locator("#line")).to_be_in_viewport(ratio=1)
    assert own.evaluate(OVER_THE_LINE) == []


def test_the_answers_of_the_page_can_be_copied_as_a_scene(page: Page) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10,title:One&lane=tokens:6,delay_ms:10,title:Two")
    page.locator("#open-share").click()
    scene = tomllib.loads(page.locator("#toml").input_value())["scenes"][0]
    assert scene["title"] == "One, Two"
    assert [lane.split(",")[0] for lane in scene["lanes"]] == ["tokens:5", "tokens:6"]

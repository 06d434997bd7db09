"""axe finds nothing to complain of, in light and dark, on everything that the page can show."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser import stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

AXE = Axe()


def complaints(page: Page) -> list[str]:
    violations = AXE.run(page).response["violations"]
    return [f"{each['id']}: {node['html'][:120]}" for each in violations for node in each["nodes"]]


@pytest.fixture(params=["light", "dark"])
def either(request: pytest.FixtureRequest, open_page: Callable[..., Page]) -> Page:
    return open_page(color_scheme=request.param)


def test_the_page_after_a_run_with_its_measures_and_pictures(either: Page) -> None:
    stage.open_stage(either, "lane=tokens:5,delay_ms:10&lane=tokens:5,delay_ms:10,delivery:whole")
    stage.start(either)
    stage.wait_until_over(either, 1)
    either.locator("summary").first.click()
    assert complaints(either) == []


@pytest.mark.parametrize("dialog", ["Settings", "Share", "Talk", "Keys and words"])
def test_each_dialog(page: Page, dialog: str) -> None:
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    page.get_by_role("button", name=dialog).first.click()
    for closed in page.locator("dialog[open] details").all():
        closed.locator("summary").click()
    assert complaints(page) == []


@pytest.mark.parametrize(("slug", "picture"), [("same-total", "path"), ("the-loop", "chain")])
def test_a_scene_before_its_run_during_it_and_after_it(either: Page, slug: str, picture: str) -> None:
    stage.present(either, slug)
    assert complaints(either) == []
    either.keyboard.press("PageDown")
    expect(either.locator("body")).to_have_attribute("data-line", "clock")
    assert complaints(either) == []
    expect(either.locator("#start")).to_contain_text("Run again", timeout=30_000)
    either.keyboard.press("PageDown")
    expect(either.locator("body")).to_have_attribute("data-line", "observe")
    assert complaints(either) == []
    either.keyboard.press("PageDown")
    expect(either.locator(f".scene[data-shown] [data-picture={picture}]")).to_be_visible()
    assert complaints(either) == []


def test_the_code_for_the_room_and_a_typed_number(either: Page) -> None:
    stage.present(either, "one-answer")
    either.keyboard.press("1")
    either.keyboard.press("j")
    expect(either.get_by_role("dialog", name="Open it yourself")).to_be_visible()
    assert complaints(either) == []


def test_a_scene_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    stage.present(page, "the-loop")
    assert complaints(page) == []


def test_the_speakers_window(either: Page) -> None:
    stage.present(either, "one-answer")
    with either.context.expect_page() as opened:
        either.keyboard.press("n")
    expect(opened.value.locator("#where")).to_have_text("now: scene 2 of 14")
    assert complaints(opened.value) == []


def test_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(viewport={"width": 390, "height": 844})
    stage.open_stage(page, "lane=tokens:5,delay_ms:10")
    stage.start(page)
    stage.wait_until_over(page)
    assert complaints(page) == []

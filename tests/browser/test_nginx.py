"""The page behind nginx as it is shipped: below a path of its own, and when a server dies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from server.latency.tokens import TEXTS, tokens_of
from tests.browser import stage
from tests.metrics import active_streams
from tests.nginx import BELOW_DEMO, Nginx, behind_nginx
from tests.process import PATIENCE_S, Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

LATE_MS = PATIENCE_S * 1_000  # on a busy machine
OPTIONS = ("serve", "--proxy-headers", "--root-path", "/demo")


@pytest.fixture
def servers() -> Iterator[tuple[Server, Server]]:
    with serving(*OPTIONS) as one, serving(*OPTIONS) as two:
        yield one, two


@pytest.fixture
def nginx(servers: tuple[Server, Server]) -> Iterator[Nginx]:
    """Below /demo/; whatever a page asks for elsewhere is not there, and fails its test."""
    with behind_nginx(servers, BELOW_DEMO) as nginx:
        yield nginx


@pytest.fixture
def page(nginx: Nginx, open_page: Callable[..., Page], allowed: list[str]) -> Iterator[Page]:
    allowed.append(f"asked: {nginx.url}/demo/")
    page = open_page(base_url=f"{nginx.url}/demo/", ignore_https_errors=True)
    yield page
    page.close()


def test_below_a_path_of_its_own_everything_works(page: Page, nginx: Nginx) -> None:
    demo = f"{nginx.url}/demo/"
    stage.open_stage(page, "lane=tokens:9,delay_ms:20")
    assert page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol") == "h2"
    stage.start(page)
    stage.wait_until_over(page)
    assert stage.text(page) == "".join(tokens_of(TEXTS["loop"], 9))
    assert page.url == f"{demo}?lane=tokens:9,delay_ms:20"
    page.locator("#take-away").click()
    expect(page.locator("#link")).to_have_value(page.url)
    expect(page.locator("#curls input")).to_have_value(re.compile(f"^curl -N '{re.escape(demo)}plain"))
    page.goto("scenes/one-answer")
    expect(page.locator("body")).to_have_attribute("data-presenting", "")
    page.keyboard.press("PageDown")
    stage.wait_until_over(page)
    page.keyboard.press("j")
    expect(page.locator("#qr")).to_have_js_property("complete", True)
    assert page.locator("#qr").evaluate("image => image.naturalWidth") > 0
    expect(page.locator("#join")).to_contain_text(demo)
    page.keyboard.press("Escape")
    with page.context.expect_page() as opened:
        page.keyboard.press("n")
    expect(opened.value.locator("#where")).to_have_text("now: scene 2 of 14")
    page.goto("./")
    page.locator("#open-talk").click()
    page.get_by_role("link", name="The loop, slowly").click()
    expect(page).to_have_url(f"{demo}scenes/the-loop")
    page.reload()
    expect(page.locator("body")).to_have_attribute("data-presenting", "")


def test_a_server_that_is_killed_costs_no_token(
    page: Page, servers: tuple[Server, Server], allowed: list[str]
) -> None:
    allowed.append("ERR_")  # the connection breaks, and the browser logs that
    page.add_init_script(stage.NEVER_BUSY)
    stage.open_stage(page, "lane=tokens:60,delay_ms:50")
    stage.start(page)
    beginning = "".join(tokens_of(TEXTS["loop"], 5)).strip()
    expect(stage.answer(page).locator(".text")).to_contain_text(beginning, timeout=LATE_MS)
    (busy,) = [server for server in servers if active_streams(server)]
    busy.process.kill()
    expect(page.locator("#notice")).to_contain_text("no token goes missing", timeout=LATE_MS)
    expect(page.locator("#start")).to_contain_text("Run again", timeout=LATE_MS)
    stage.wait_until_over(page)
    assert stage.text(page) == "".join(tokens_of(TEXTS["loop"], 60))
    expect(page.locator("body")).to_contain_text("resumed")
    assert re.search("last_event_id=[1-9][0-9]?-", page.evaluate("() => streams.at(-1).url"))
    assert stage.open_streams(page) == 0

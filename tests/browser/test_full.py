"""A server that has no place left says so on the page, and the page comes in when there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser import stage
from tests.process import serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page


def test_the_page_says_that_the_server_is_full_and_runs_when_there_is_a_place(
    open_page: Callable[..., Page], allowed: list[str]
) -> None:
    allowed += ["503", "asked: http"]  # of a server of its own
    with serving("serve", "--max-streams", "1") as server:
        taken = server.ask("/plain?lane=tokens:1,ttft_ms:60000")
        assert taken.getresponse().status == 200
        page = open_page(base_url=f"http://{server.host}:{server.port}")
        stage.open_stage(page, "lane=tokens:5,delay_ms:10")
        stage.start(page)
        expect(page.locator("#notice")).to_contain_text("The server is full")
        expect(stage.answer(page)).to_contain_text("the server is full, trying again")
        taken.close()
        stage.wait_until_over(page)
        assert stage.text(page) == "When a model answers,"
        page.close()

"""The page behind a proxy that breaks, holds and swallows: it names what is happening, and loses no token."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from server.latency.tokens import TEXTS, tokens_of
from tests.browser import stage
from tests.faults import CLEAR, Proxy, Way, faulty
from tests.process import PATIENCE_S, serving

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

LATE_MS = PATIENCE_S * 1_000  # on a busy machine
QUERY = "lane=tokens:50,delay_ms:20"
STREAM = b"text/event-stream"  # in the head of its answer: what else the page loads is left alone


@pytest.fixture
def proxy(server: str) -> Iterator[Proxy]:
    """A proxy in front of the server that all tests use."""
    url = urlsplit(server)
    assert url.hostname
    assert url.port
    with faulty((url.hostname, url.port)) as proxy:
        yield proxy


@pytest.fixture
def page(proxy: Proxy, open_page: Callable[..., Page], allowed: list[str]) -> Iterator[Page]:
    """A page of the proxy's, which it stands ready to run on."""
    address = f"http://{proxy.host}:{proxy.port}"
    allowed += [f"asked: {address}/", "ERR_"]  # connections break, and the browser logs that they do
    page = open_page(base_url=address)
    page.add_init_script(stage.NEVER_BUSY)
    stage.open_stage(page, QUERY)
    yield page
    page.close()


def caption(page: Page) -> Locator:
    return stage.answer(page).locator(".first .caption")


@contextmanager
def after_this(proxy: Proxy, way: Way) -> Iterator[None]:
    """Let this happen to streams, also on connections that are open, until the page has said so."""
    proxy.answer = way
    yield
    proxy.answer = CLEAR


def check_whole(page: Page) -> None:
    """Wait for the end, and check that every token came once."""
    expect(page.locator("#start")).to_contain_text("Run again", timeout=LATE_MS)
    stage.wait_until_over(page)
    assert stage.text(page) == "".join(tokens_of(TEXTS["loop"], 50))
    assert stage.open_streams(page) == 0


def test_until_the_stream_begins_the_page_says_connecting(page: Page, proxy: Proxy) -> None:
    with after_this(proxy, Way(swallow=True)):
        stage.start(page)
        expect(caption(page)).to_have_text("connecting", timeout=LATE_MS)
    proxy.cut()  # what is swallowed never comes; the page asks again
    check_whole(page)


def test_a_lost_connection_is_named_and_after_it_every_token_is_there_once(page: Page, proxy: Proxy) -> None:
    with after_this(proxy, Way(after=STREAM, cut=b'"i":9,', reset=True)):
        stage.start(page)
        expect(caption(page)).to_have_text("connection lost, resuming", timeout=LATE_MS)
        expect(page.locator("#notice")).to_contain_text("no token goes missing", timeout=LATE_MS)
    check_whole(page)
    expect(page.locator("body")).to_contain_text("resumed")
    # A reset may have destroyed tokens on their way.
    assert re.search("last_event_id=[1-9]-", page.evaluate("() => streams.at(-1).url"))


@pytest.mark.parametrize("cut", [b"event: token", b"event: finish", b"event: done"], ids=bytes.decode)
def test_also_before_the_first_token_and_before_the_end_of_the_answer_or_the_run(
    page: Page, proxy: Proxy, cut: bytes
) -> None:
    with after_this(proxy, Way(after=STREAM, cut=cut)):
        stage.start(page)
        expect(page.locator("#notice")).to_contain_text("no token goes missing", timeout=LATE_MS)
    check_whole(page)


def test_what_holds_back_the_stream_is_named(page: Page, proxy: Proxy) -> None:
    with after_this(proxy, Way(after=STREAM, hold=5_000)):
        stage.start(page)
        notice = "Something between you and the server is buffering this stream."
        expect(page.locator("#notice")).to_have_text(notice, timeout=LATE_MS)
    check_whole(page)


def test_overdue_tokens_are_named_and_arrive_when_the_connection_is_resumed(page: Page, proxy: Proxy) -> None:
    with after_this(proxy, Way(after=b'"i":4,', swallow=True)):
        stage.start(page)
        expect(stage.answer(page)).to_have_attribute("data-state", "stalled", timeout=LATE_MS)
        expect(caption(page)).to_contain_text("a token is ")
    proxy.cut()
    check_whole(page)


def test_a_server_that_restarts_is_named_and_the_run_goes_on_with_the_next_one(
    page: Page, proxy: Proxy, allowed: list[str]
) -> None:
    allowed.append("502")  # says the proxy while there is none
    usual = proxy.servers
    with serving("serve") as first, serving("serve") as second:
        proxy.servers = [(first.host, first.port)]
        proxy.cut()  # what the page was loaded on leads to another
        page.goto(f"/?{QUERY},stall_at:10,stall_ms:2000")
        stage.answer(page).wait_for()
        stage.start(page)
        expect(caption(page)).to_have_text("streaming", timeout=LATE_MS)
        first.process.send_signal(signal.SIGTERM)
        expect(caption(page)).to_have_text("the server is restarting, resuming", timeout=LATE_MS)
        assert first.process.wait(PATIENCE_S) in (0, -signal.SIGTERM)
        proxy.servers = [(second.host, second.port)]
        check_whole(page)
    proxy.servers = usual

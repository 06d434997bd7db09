"""Fixtures of the real-browser tests: a real server in a process of its own, and pages that must stay clean.

A page fails its test at the end if it logged an error, threw one, or asked another origin than the server for
anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from tests.process import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a running server, such as `http://127.0.0.1:41234`."""
    with serving("serve") as running:
        yield f"http://{running.host}:{running.port}"
        if running.process.poll() is not None:
            pytest.fail(f"The server died during the tests:\n{running.complaints()}", pytrace=False)


@pytest.fixture
def allowed() -> list[str]:
    """What this test's pages may do wrong: a test appends a part of each error or address that it expects."""
    return []


@pytest.fixture
def open_page(browser: Browser, server: str, allowed: list[str]) -> Iterator[Callable[..., Page]]:
    """Opens a page in a fresh context of the given options, such as `open_page(color_scheme="dark")`."""
    wrong: list[str] = []
    with ExitStack() as contexts:

        def open_page(**options: Any) -> Page:
            defaults = {"base_url": server, "viewport": {"width": 1280, "height": 720}}
            context = contexts.enter_context(browser.new_context(**(defaults | options)))
            watch(context, server, wrong)
            return context.new_page()

        yield open_page

    if unexpected := [text for text in wrong if not any(part in text for part in allowed)]:
        pytest.fail("The page was not clean:\n" + "\n".join(unexpected), pytrace=False)


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page of 1280×720 in a fresh context; `page.goto("/")` opens the server's."""
    return open_page()


def watch(context: BrowserContext, server: str, wrong: list[str]) -> None:
    """Add to `wrong` whatever a page of this context does that it should not."""

    def console(message: ConsoleMessage) -> None:
        if message.type == "error":
            wrong.append(f"logged: {message.text} ({message.location['url']})")

    def request(request: Request) -> None:
        if not request.url.startswith((f"{server}/", "data:", "blob:")):
            wrong.append(f"asked: {request.url}")

    context.on("console", console)
    context.on("request", request)
    context.on("weberror", lambda error: wrong.append(f"threw: {error.error}"))

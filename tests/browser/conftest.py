"""Fixtures of the real-browser tests: a real server in a process of its own, and pages that must stay clean.

A page fails its test at the end if it logged an error, threw one, or asked another origin than the server for
anything.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request

ROOT = Path(__file__).parent.parent.parent
SERVE = (sys.executable, "-m", "server", "serve", "--host", "127.0.0.1", "--port", "0")
START_SECONDS = 30
STOP_SECONDS = 10


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running server, such as `http://127.0.0.1:41234`."""
    # Files and not pipes, which would block a server whose output nobody reads.
    output = tmp_path_factory.mktemp("server") / "output.txt"
    with output.open("w") as stream:
        process = subprocess.Popen(
            SERVE, cwd=ROOT, env=os.environ | {"PYTHONUNBUFFERED": "1"}, stdout=stream, stderr=stream
        )
    try:
        yield address(process, output)
        died = process.poll() is not None
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    if died:
        pytest.fail(f"The server died during the tests:\n{output.read_text()}", pytrace=False)


def address(process: subprocess.Popen[bytes], output: Path) -> str:
    """Wait until the server has printed its address, and return it."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if found := re.search(r"http://127\.0\.0\.1:[1-9]\d*", output.read_text()):
            return found[0]
        time.sleep(0.05)  # a file tells nobody that it has grown
    pytest.fail(f"The server did not start:\n{output.read_text()}", pytrace=False)


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

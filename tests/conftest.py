"""What tests in several folders share: one Chromium for all of them, because starting one takes a second."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

FLAGS = (
    "--no-sandbox",  # containers often run as root, where Chromium's sandbox refuses to start
    # The rest keeps it from calling home: a test must not depend on the network.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # A name that is no loopback to a browser, and so no secure context over plain http.
    "--host-resolver-rules=MAP trickle.test 127.0.0.1",
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium: the installed one, which `make test` makes sure of."""
    # Here and not above, so that tests without a browser do not load it.
    from playwright.sync_api import sync_playwright

    from tools import chromium

    path = chromium.find()
    if path is None:
        pytest.fail("There is no Chromium: `make test` installs one, or says how to.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()

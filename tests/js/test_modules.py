"""Runs the tests of the pure JS modules in the browser: each `*.test.js` beside and below is one test here.

`pytest tests/js -k metrics` runs some of them. How a test file is written is in harness.js, what it can
import and fetch in SITE.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Route

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
FILES = [str(file.relative_to(HERE)) for file in sorted(HERE.rglob("*.test.js"))]

ORIGIN = "http://localhost"
SITE = {"static": ROOT / "static", "tests": HERE, "golden": ROOT / "tests/golden"}

# An element and not import() alone, because only an element's error says in which file and line a module is
# broken; and import() too, because an element has loaded before a top-level await in it is over.
RUN = """url => new Promise(resolve => {
  addEventListener("error", event => resolve(`${event.message} (${event.filename}:${event.lineno})`));
  addEventListener("unhandledrejection", ({ reason }) => resolve(`Rejected: ${reason?.stack ?? reason}`));
  setTimeout(() => resolve("It was not over after 60 s."), 60_000);
  const script = Object.assign(document.createElement("script"), { type: "module", src: url });
  script.onload = async () => {
    await import(url);
    const { run } = await import("/tests/harness.js");
    resolve(await run());
  };
  script.onerror = () => resolve("A module it imports is missing.");
  document.head.append(script);
})"""


class Result(TypedDict):
    """One JS test, as harness.js reports it: `error` is None where it passed."""

    name: str
    error: str | None


@pytest.fixture
def site(browser: Browser) -> Iterator[Page]:
    """A blank page in a fresh context, at an origin where the checkout's files are (see SITE)."""
    with browser.new_context() as context:
        context.route("**/*", answer)
        page = context.new_page()
        page.goto(ORIGIN)
        yield page


@pytest.mark.parametrize("file", FILES)
def test_module(site: Page, file: str) -> None:
    """Every test that the file declares passes, and it declares some."""
    missing: list[str] = []
    site.on("response", lambda response: missing.append(response.url) if response.status == 404 else None)
    results: list[Result] | str = site.evaluate(RUN, f"/tests/{file}")
    if isinstance(results, str):
        reason = "\n".join([results, *(f"Not found: {url}" for url in missing)])
        pytest.fail(f"{file} did not run.\n{reason}".replace(ORIGIN, ""), pytrace=False)
    if not results:
        pytest.fail(f"{file} declares no test.", pytrace=False)
    failures = [f"✗ {result['name']}\n{result['error']}" for result in results if result["error"]]
    if failures:
        report = "\n\n".join(failures)
        pytest.fail(f"{file}: {len(failures)} of {len(results)} tests failed.\n\n{report}", pytrace=False)


def answer(route: Route) -> None:
    """Serve a file of the checkout; no port is opened for it."""
    path = urlsplit(route.request.url).path
    folder, _, rest = path.removeprefix("/").partition("/")
    if path == "/":
        route.fulfill(body="<!doctype html><title>Tests</title>", content_type="text/html")
    elif folder in SITE and (file := SITE[folder] / rest).is_file():
        route.fulfill(path=file)
    else:
        route.fulfill(status=404)

"""Finds the Chromium that the tests drive, and installs one where there is none.

Run by `make test`; the tests themselves only ask `find()`.
"""

import shutil
import sys
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

from tools.programs import install, starts, succeeds

# The shell is Chromium without its own windows and menus, which take as long to open as the page in them.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Without recommended packages Debian's Chromium has no font to draw text with.
PACKAGES = ("chromium-headless-shell", "fonts-liberation")

ADVICE = """\
The tests need Chromium, and it could not be installed from here. Install Chromium or Google Chrome, so that
one of {names} is on the PATH (on Debian: `apt install {packages}`), then try again."""


def main() -> None:
    """Install Chromium unless there is one, or say what to do and fail."""
    if find():
        return
    print("Installing Chromium for the tests …", flush=True)
    if not (by_apt() or by_playwright()):
        sys.exit(ADVICE.format(names=", ".join(NAMES), packages=" ".join(PACKAGES)))


def find() -> str | None:
    """Return the path of a Chromium that starts: the one on the PATH, else Playwright's own, else None."""
    return next((path for path in candidates() if starts(path)), None)


def candidates() -> Iterator[str]:
    """Yield paths to try, the likeliest first; asking Playwright takes a moment, so it comes last."""
    yield from filter(None, map(shutil.which, NAMES))
    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    yield own


def by_apt() -> bool:
    """Install Debian's package, and say whether that worked."""
    return install(*PACKAGES) and find() is not None


def by_playwright() -> bool:
    """Let Playwright download its own, and say whether that worked."""
    return succeeds(sys.executable, "-m", "playwright", "install", "chromium") and find() is not None


if __name__ == "__main__":
    main()

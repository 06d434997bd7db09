"""Finds the Chromium that the tests drive, and installs one where there is none.

Run by `make test`; the tests themselves only ask `find()`.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# Without recommended packages Debian's Chromium has no font to draw text with.
PACKAGES = ("chromium", "fonts-liberation")

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


def starts(path: str) -> bool:
    """Say whether the program answers; Ubuntu's chromium-browser may be a stub that only asks for snap."""
    try:
        subprocess.run([path, "--version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def by_apt() -> bool:
    """Install Debian's package as root or by sudo without a password, and say whether that worked."""
    if not shutil.which("apt-get"):
        return False
    as_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if as_root and not (shutil.which("sudo") and succeeds(*as_root, "true")):
        return False
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive"]
    # Another program may be installing: wait for it.
    apt += ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300"]
    succeeds(*apt, "update")
    return succeeds(*apt, "install", "-y", "--no-install-recommends", *PACKAGES) and find() is not None


def by_playwright() -> bool:
    """Let Playwright download its own, and say whether that worked."""
    return succeeds(sys.executable, "-m", "playwright", "install", "chromium") and find() is not None


def succeeds(*command: str) -> bool:
    """Run a command; show what it wrote only if it failed."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        print(f"{' '.join(command)} failed:\n{done.stdout}", file=sys.stderr)
    return done.returncode == 0


if __name__ == "__main__":
    main()

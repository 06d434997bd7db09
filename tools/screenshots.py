"""Takes the README's pictures from the running page, so that they show what there is (`make screenshots`)."""

from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.process import serving
from tools import chromium

FOLDER = Path(__file__).parents[1] / "docs"
SCHEMES = ("light", "dark")
MIDWAY = "A hundred"  # tokens into the built-in text, well past the 100 ms line and far from the end


def main() -> None:
    """Write one picture for light and one for dark."""
    FOLDER.mkdir(exist_ok=True)
    with serving("serve") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium.find())
        for scheme in SCHEMES:
            take(browser, f"http://{server.host}:{server.port}", scheme)
        browser.close()


def take(browser: Browser, address: str, scheme: str) -> None:
    """Take the opening pair in the middle of its run, as a projector shows it."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.locator(".answer").first.wait_for()
    page.keyboard.press("Space")
    page.locator(".answer").first.get_by_text(MIDWAY).wait_for()
    page.screenshot(path=FOLDER / f"stage-{scheme}.png")
    context.close()


if __name__ == "__main__":
    main()

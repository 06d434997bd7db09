"""Who may show the page in a frame: nobody, unless named. (That every answer says so is in test_answers.py.)"""

import pytest

from server.settings import Settings
from server.web.app import create_app
from tests.asgi import ask


@pytest.mark.parametrize("url", ["/", "/stream?lane=tokens:1", "/nowhere"])
async def test_the_page_may_be_shown_in_a_frame_by_those_who_are_named(url: str) -> None:
    app = create_app(Settings(embed_origin=("https://slides.example", "http://localhost:5173")))
    policy = (await ask(app, url)).headers["content-security-policy"]
    assert policy.endswith("; frame-ancestors https://slides.example http://localhost:5173")
    assert policy.count("frame-ancestors") == 1

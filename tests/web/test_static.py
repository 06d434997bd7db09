"""Static files: what is there is served with a validator, and nothing outside the folder ever is."""

from urllib.parse import unquote

import pytest
from starlette.applications import Starlette

from tests.asgi import ask


@pytest.fixture
def anyio_backend() -> str:
    """Files are read in threads, which a virtual clock doesn't know of, so this is on the real one."""
    return "asyncio"


async def test_a_file_is_served_with_its_type_and_a_validator(app: Starlette) -> None:
    answer = await ask(app, "/static/js/main.js")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    again = await ask(app, "/static/js/main.js", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status == 304


@pytest.mark.parametrize(
    "path",
    [
        "nowhere.js",
        "../pyproject.toml",
        "%2e%2e/pyproject.toml",
        "..%2fpyproject.toml",
        "%5c..%5cpyproject.toml",
        "js/main.js%00",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "x" * 300,
        "",
        "js",
    ],
)
async def test_what_is_not_a_file_of_the_folder_is_not_found(app: Starlette, path: str) -> None:
    answer = await ask(app, "/static/" + unquote(path))  # a server hands the path on decoded
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "default-src 'none'" in answer.headers["content-security-policy"]

"""Static files: what is there is served with a validator or for good, and nothing outside the folder ever is."""

import gzip
from urllib.parse import unquote

import pytest
from starlette.applications import Starlette

from server.settings import STATIC
from server.web.assets import Assets
from tests.asgi import ask

MAIN = STATIC / "js" / "main.js"
VERSION = Assets(STATIC).current().version
OTHER_VERSION = "0123456789abcdef"


@pytest.fixture
def anyio_backend() -> str:
    """Files are read in threads, which a virtual clock doesn't know of, so this is on the real one."""
    return "asyncio"


async def test_a_file_is_served_with_its_type_and_a_validator(app: Starlette) -> None:
    answer = await ask(app, "/static/js/main.js")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.body == MAIN.read_bytes()
    again = await ask(app, "/static/js/main.js", headers={"If-None-Match": answer.headers["etag"]})
    assert again.status == 304
    assert again.headers["cache-control"] == "no-cache"


async def test_a_part_of_a_file_can_be_asked_for(app: Starlette) -> None:
    answer = await ask(app, "/static/js/main.js", headers={"Range": "bytes=3-11"})
    assert answer.status == 206
    assert answer.body == MAIN.read_bytes()[3:12]


@pytest.mark.parametrize(
    ("path", "media_type"),
    [("js/main.js", "text/javascript"), ("css/stage.css", "text/css"), ("icon.svg", "image/svg+xml")],
)
async def test_below_the_version_a_file_is_kept_for_good(app: Starlette, path: str, media_type: str) -> None:
    url = f"/static/{VERSION}/{path}"
    plain, packed = await ask(app, url), await ask(app, url, headers={"Accept-Encoding": "gzip, br"})
    for answer in (plain, packed):
        assert answer.status == 200
        assert answer.headers["content-type"].partition(";")[0] == media_type
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        assert answer.headers["vary"] == "Accept-Encoding"
        assert int(answer.headers["content-length"]) == len(answer.body)
        assert answer.headers["x-content-type-options"] == "nosniff"
    assert "content-encoding" not in plain.headers
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body


@pytest.mark.parametrize("coding", ["identity", "gzip"])
async def test_below_the_version_each_coding_has_a_validator_of_its_own(app: Starlette, coding: str) -> None:
    url = f"/static/{VERSION}/js/main.js"
    tags = {
        name: (await ask(app, url, headers={"Accept-Encoding": name})).headers["etag"]
        for name in ("identity", "gzip")
    }
    for name, tag in tags.items():
        again = await ask(app, url, headers={"Accept-Encoding": coding, "If-None-Match": f'"x", W/{tag}'})
        assert again.status == (304 if name == coding else 200)
        assert again.headers["etag"] == tags[coding]
        assert again.headers["cache-control"].endswith("immutable")
        assert (again.body == b"") == (name == coding)


async def test_another_version_than_the_present_one_gets_what_is_there_for_now(
    app: Starlette,
) -> None:
    answer = await ask(app, f"/static/{OTHER_VERSION}/js/main.js", headers={"Accept-Encoding": "gzip"})
    assert answer.status == 200
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.body == MAIN.read_bytes()


@pytest.mark.parametrize("folder", ["", f"{VERSION}/"])
async def test_head_says_what_get_would(app: Starlette, folder: str) -> None:
    url = f"/static/{folder}js/main.js"
    get, head = await ask(app, url), await ask(app, url, method="HEAD")
    assert head.status == 200
    assert head.headers == get.headers


@pytest.mark.parametrize("folder", ["", f"{VERSION}/"])
async def test_other_methods_are_not_allowed(app: Starlette, folder: str) -> None:
    answer = await ask(app, f"/static/{folder}js/main.js", method="POST")
    assert answer.status == 405
    assert answer.headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize("folder", ["", f"{VERSION}/", f"{OTHER_VERSION}/"])
@pytest.mark.parametrize(
    "path",
    [
        "nowhere.js",
        "../pyproject.toml",
        "../../pyproject.toml",
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
async def test_what_is_not_a_file_of_the_folder_is_not_found(app: Starlette, folder: str, path: str) -> None:
    answer = await ask(app, f"/static/{folder}" + unquote(path))  # a server hands the path on decoded
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert "default-src 'none'" in answer.headers["content-security-policy"]

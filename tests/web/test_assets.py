"""Assets: what pages ask for is what the files say, in one version, which changes when a file does."""

import gzip
import re
from pathlib import Path

import pytest

from server.settings import STATIC
from server.web.assets import Asset, Assets, Tree


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of files, to which a test adds."""
    (tmp_path / "js").mkdir()
    (tmp_path / "css").mkdir()
    return tmp_path


def read(folder: Path, path: str) -> str:
    return Assets(folder).current().files[path].body.decode()


@pytest.mark.parametrize(
    ("source", "sent"),
    [
        ("// @ts-check\nf();\n", "\nf();\n"),
        ("/** What it\n * is for. */\nf();\n", "\n\nf();\n"),
        ("  /* a */\n  // b\nf();\n", "\n\nf();\n"),
        ("/* a */ f();\n/* b */\n", "/* a */ f();\n\n"),
        ("f(); // a\n", "f(); // a\n"),
        ("f('/*');\n// b\ng('*/');\n", "f('/*');\n\ng('*/');\n"),
        ("/*\nf(); */ g();\n/* b */\n", "/*\nf(); */ g();\n\n"),
        ('f("https://a.example");\n', 'f("https://a.example");\n'),
    ],
)
def test_comments_that_have_their_lines_to_themselves_are_left_out(folder: Path, source: str, sent: str) -> None:
    (folder / "js" / "a.js").write_text(source)
    assert read(folder, "js/a.js") == sent


def test_of_the_files_that_are_there_only_comments_are_left_out() -> None:
    for path, asset in Assets(STATIC).current().files.items():
        if path.endswith(".css"):
            continue
        source, sent = (STATIC / path).read_text().split("\n"), asset.body.decode().split("\n")
        assert len(sent) == len(source)
        for line, kept in zip(source, sent, strict=True):
            assert kept == line or (kept == "" and re.match(r"\s*(//|/\*|\*)", line)), path


def test_no_text_over_several_lines_looks_like_a_comment() -> None:
    for path, asset in Assets(STATIC).current().files.items():
        code = asset.body.decode()
        assert code.count("`") % 2 == 0, path  # no beginning or end was left out
        assert code.count("/*") == code.count("*/"), path


def test_a_style_sheet_has_those_that_it_imports_in_their_places(folder: Path) -> None:
    (folder / "css" / "all.css").write_text('/* All. */\n@import "a.css";\n@import "b.css";\nc {}\n')
    (folder / "css" / "a.css").write_text("/* A. */\na {}\n")
    (folder / "css" / "b.css").write_text("b {}\n")
    assert re.findall(r"\S+", read(folder, "css/all.css")) == ["a", "{}", "b", "{}", "c", "{}"]


def test_modules_are_found_by_what_they_import() -> None:
    tree = tree_of(
        {
            "js/main.js": 'import { a } from "./a.js";\nimport {\n  b,\n} from "./deep/b.js";\n',
            "js/a.js": 'import { c } from "./deep/c.js";\nconst text = "./not.js";\n',
            "js/deep/b.js": 'import "../a.js";\n',
            "js/deep/c.js": "export const c = 1;\n",
            "js/other.js": "",
        }
    )
    assert tree.modules("js/main.js") == ["js/main.js", "js/a.js", "js/deep/b.js", "js/deep/c.js"]


def test_every_module_is_needed_by_a_page() -> None:
    tree = Assets(STATIC).current()
    needed = {path for entry in ("js/main.js", "js/speaker.js", "js/theme.js") for path in tree.modules(entry)}
    assert {path for path in tree.files if path.endswith(".js")} == needed


def test_the_version_is_the_same_for_the_same_files() -> None:
    assert re.fullmatch("[0-9a-f]{16}", Assets(STATIC).current().version)
    assert Assets(STATIC).current().version == Assets(STATIC).current().version


def test_a_file_that_is_saved_is_read_again_and_changes_the_version(folder: Path) -> None:
    file = folder / "js" / "a.js"
    file.write_text("f();\n")
    assets = Assets(folder)
    first = assets.current()
    assert assets.current() is first
    file.write_text("g(1);\n")
    second = assets.current()
    assert second.version != first.version
    assert second.files["js/a.js"].body == b"g(1);\n"


def test_a_version_is_found_as_soon_as_it_is_there_and_no_longer(folder: Path) -> None:
    file = folder / "js" / "a.js"
    file.write_text("f();\n")
    assets = Assets(folder)
    first = assets.current().version
    file.write_text("g(1);\n")
    second = Assets(folder).current().version  # which another worker has read already
    found = assets.find(second, "js/a.js")
    assert found
    assert gzip.decompress(found.packed) == found.body == b"g(1);\n"
    assert assets.find(second, "js/b.js") is None
    assert assets.find(first, "js/a.js") is None


def test_what_no_page_can_ask_for_is_left_alone(folder: Path) -> None:
    (folder / "js" / ".a.js.swp").write_bytes(b"\xff")
    assert Assets(folder).current().files == {}


def tree_of(sources: dict[str, str]) -> Tree:
    return Tree({path: Asset(source.encode(), "text/javascript") for path, source in sources.items()})

"""Assets: what pages ask for is what the files say, in one version, which changes when a file does."""

import gzip
import re
from pathlib import Path

import pytest

from server.settings import STATIC
from server.web.assets import Assets


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
        ("// @ts-check\nf();\n", "f();\n"),
        ("/** What it\n * is for. */\nf();\n", "f();\n"),
        ("  /* a */\n  // b\nf();\n", "f();\n"),
        ("/* a */ f();\n/* b */\n", "/* a */ f();\n"),
        ("if (a) {\n  f(); // a\n}\n", "if (a) {\nf();\n}\n"),
        ("f('{ // a');\n", "f('{ // a');\n"),
        ("const a = /** @type {A | null} */ (/** @type {B} */ (f()));\n", "const a = ((f()));\n"),
        ("f('/*');\n// b\ng('*/');\n", "f('/*');\ng('*/');\n"),
        ("/*\nf(); */ g();\n/* b */\n", "/*\nf(); */ g();\n"),
        ('f("https://a.example");\n', 'f("https://a.example");\n'),
    ],
)
def test_what_is_only_for_those_who_read_it_is_left_out(folder: Path, source: str, sent: str) -> None:
    (folder / "js" / "a.js").write_text(source)
    assert read(folder, "js/a.js") == sent


def test_a_style_sheet_has_those_that_it_imports_in_their_places(folder: Path) -> None:
    (folder / "css" / "all.css").write_text('/* All. */\n@import "a.css";\n@import "b.css";\nc {}\n')
    (folder / "css" / "a.css").write_text("/* A. */\na {}\n")
    (folder / "css" / "b.css").write_text("b {}\n")
    assert re.findall(r"\w+", read(folder, "css/all.css")) == ["a", "b", "c"]


MODULES = {
    "main.js": 'import { a as f } from "./a.js";\nimport {\n  b,\n  C,\n} from "./deep/b.js";\n\nf(b, new C());\n',
    "a.js": 'import { d } from "./deep/d.js";\n\nexport async function a() {}\n',
    "deep/b.js": 'import { a } from "../a.js";\n\nexport const b = 1;\nexport class C {}\n',
    "deep/d.js": "export function d() {}\n",
}
JOINED = """\
const $modules = {};
$modules["js/deep/d.js"] = (() => {
function d() {}
return { d };
})();
$modules["js/a.js"] = (() => {
const { d } = $modules["js/deep/d.js"];

async function a() {}
return { a };
})();
$modules["js/deep/b.js"] = (() => {
const { a } = $modules["js/a.js"];

const b = 1;
class C {}
return { b, C };
})();
$modules["js/main.js"] = (() => {
const { a: f } = $modules["js/a.js"];
const {
b,
C,
} = $modules["js/deep/b.js"];

f(b, new C());
return {  };
})();
"""


def test_a_module_that_no_other_names_has_those_that_it_needs_each_once_and_first(folder: Path) -> None:
    (folder / "js" / "deep").mkdir()
    for name, source in MODULES.items():
        (folder / "js" / name).write_text(source)
    assert read(folder, "js/main.js") == JOINED
    assert read(folder, "js/deep/b.js") == MODULES["deep/b.js"]


@pytest.mark.parametrize(
    "line",
    [
        *['import b from "./b.js";', 'import * as b from "./b.js";', 'import "./b.js";', "export default 1;"],
        *["export let b = 1;", "export { b };", 'export * from "./b.js";'],
    ],
)
def test_what_can_not_be_joined_is_told_with_its_file(folder: Path, line: str) -> None:
    (folder / "js" / "main.js").write_text('import { a } from "./a.js";\n')
    (folder / "js" / "a.js").write_text(f"{line}\n")
    (folder / "js" / "b.js").write_text("export const b = 1;\n")
    with pytest.raises(ValueError, match=re.escape(f'js/a.js: "{line}" is not')):
        Assets(folder).current()


def test_a_module_that_is_missing_is_told_with_who_needs_it(folder: Path) -> None:
    (folder / "js" / "a.js").write_text('import { b } from "./nowhere.js";\n')
    with pytest.raises(ValueError, match=r"js/a\.js: there is no js/nowhere\.js\."):
        Assets(folder).current()


def test_modules_that_need_each_other_are_told(folder: Path) -> None:
    (folder / "js" / "a.js").write_text('import { b } from "./b.js";\n')
    (folder / "js" / "b.js").write_text('import { a } from "./a.js";\n')
    with pytest.raises(ValueError, match=r"cycle.*js/a\.js.*js/b\.js"):
        Assets(folder).current()


def test_every_module_is_in_what_a_page_asks_for() -> None:
    files = Assets(STATIC).current().files
    asked = "".join(files[f"js/{name}.js"].body.decode() for name in ("main", "speaker"))
    alone = {path for path in files if path.endswith(".js") and f'$modules["{path}"]' not in asked}
    assert alone == {"js/theme.js"}  # which must be there before the first frame


def test_no_text_goes_over_several_lines_whose_indentation_would_be_left_out() -> None:
    for file in STATIC.rglob("*.js"):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            assert line.count("`") % 2 == 0, f"{file}:{number}"


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

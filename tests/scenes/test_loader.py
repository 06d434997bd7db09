"""Files → decks: what a deck gives, and that a wrong one tells everything at once, word by word."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from server.latency.offered import Offered
from server.latency.tokens import TEXTS
from server.scenes.deck import Deck, Known
from server.scenes.loader import load
from server.scenes.problems import BadDeck
from tests.scenes.conftest import Write

BUILT_IN = """
title = "Built in"
[texts]
page = "Done."
[[scenes]]
slug = "the-loop"
title = "The loop"
lanes = ["tokens:12,text:page"]
observe = "{1.whole}"
notes = "Slowly."
minutes = 3
"""

GOOD = """
title = "Mine"
[texts]
hello = "Hello, all of you."
[[scenes]]
slug = "first"
title = "First"
text = '''
One **token** at a time.
'''
lanes = ["preset:worked-example,text:hello,title:100 % & more", "tokens:50,delay_ms:20.5,text:page"]
pictures = ["loop", "cost"]
ask = "How long?"
observe = "{1.whole}, {2.whole/1.whole} as long."
minutes = 1.5
notes = "- say *hello*"
[[scenes]]
slug = "second"
title = "Second"
"""


@pytest.fixture
def known(write: Write) -> Known:
    """What a deck is checked against: a built-in deck, and one that has taken some names."""
    talk = load(write(BUILT_IN, "built-in.toml"), Known(600))
    return Known(
        600,
        offered=Offered(talk.texts),
        scenes={scene.slug: scene for scene in talk.scenes},
        taken_slugs={"taken": "other.toml"},
        taken_texts={"taken": "other.toml"},
    )


def problems(path: Path, known: Known) -> list[str]:
    with pytest.raises(BadDeck) as caught:
        load(path, known)
    lines = [str(problem) for problem in caught.value.problems]
    assert sorted(str(caught.value).split("; ")) == sorted("; ".join(lines).split("; "))
    return lines


def scene(fields: str) -> str:
    """A deck with one scene of these fields, and those that every scene needs."""
    needed = {"slug": "one", "title": "One"}
    lines = [f'{name} = "{value}"' for name, value in needed.items() if not fields.startswith(name)]
    return "\n".join(['title = "Mine"', "[[scenes]]", *lines, fields])


# What a deck gives.


def test_a_deck_has_its_scenes_in_their_order_with_all_that_they_hold(write: Write, known: Known) -> None:
    deck = load(write(GOOD), known)
    assert (deck.title, deck.texts, deck.minutes) == ("Mine", {"hello": "Hello, all of you."}, 2.5)
    first, second = deck.scenes
    assert (first.slug, first.title, first.ask) == ("first", "First", "How long?")
    assert first.text_html == "<p>One <strong>token</strong> at a time.</p>\n"
    assert first.notes_html == "<ul>\n<li>say <em>hello</em></li>\n</ul>\n"
    assert first.pictures == ("loop", "cost")
    assert first.observe == "{1.whole}, {2.whole/1.whole} as long."
    assert first.query == (
        "lane=preset:worked-example,text:hello,title:100+%25+%26+more&lane=tokens:50,delay_ms:20.5,text:page"
    )
    assert (second.lanes, second.query, second.minutes) == ((), "", 1)


def test_a_used_scene_is_the_built_in_one_with_what_stands_beside_it(write: Write, known: Known) -> None:
    uses = '[[scenes]]\nuse = "the-loop"\n'
    deck = load(write(f'title = "Mine"\n{uses}{uses}slug = "again"\nminutes = 5\nnotes = ""\n'), known)
    same, changed = deck.scenes
    assert same == known.scenes["the-loop"].model_copy(update={"use": "the-loop"})
    assert (changed.slug, changed.title, changed.minutes, changed.notes) == ("again", "The loop", 5, "")
    assert changed.lanes == same.lanes


def test_a_built_in_scene_may_be_rewritten_at_its_address(write: Write, known: Known) -> None:
    assert load(write(scene('slug = "the-loop"\nask = "Why?"')), known).scenes[0].ask == "Why?"


@pytest.mark.parametrize("content", ["\ufeff" + GOOD, GOOD.replace("\n", "\r\n")], ids=["BOM", "CRLF"])
def test_a_byte_order_mark_and_windows_line_ends_change_nothing(write: Write, known: Known, content: str) -> None:
    assert load(write(content), known) == load(write(GOOD), known)


# Every line that a screen has room for.
FULL = [
    "x" * 375,
    "- one\n- two\n- three\n- four\n- five\n",
    "a\\\nb  \nc\n\n1. d\n2. e",
    "so\nmany\nlines\nof\none\nparagraph",
]


@pytest.mark.parametrize("text", FULL)
@pytest.mark.parametrize("beside", ['lanes = ["tokens:5"]', 'pictures = ["loop"]'])
def test_a_text_has_the_lines_that_fit_on_a_screen(write: Write, known: Known, text: str, beside: str) -> None:
    assert load(write(scene(f"text = '''{text}'''\n{beside}")), known).scenes[0].text == text.strip()


@pytest.mark.parametrize("text", FULL[:3])
@pytest.mark.parametrize("beside", ['lanes = ["tokens:5"]', 'pictures = ["loop"]', 'lanes = ["tokens:none"]'])
def test_a_text_of_one_line_more_is_refused(write: Write, known: Known, text: str, beside: str) -> None:
    told = "\n".join(problems(write(scene(f"text = '''{text}\n\nOne more.'''\n{beside}")), known))
    assert f"text must be {TEXT}, but was " in told
    assert told.endswith("(it takes 6)")


def test_a_text_alone_has_more_lines(write: Write, known: Known) -> None:
    full = "x" * (12 * 75)
    assert load(write(scene(f'text = "{full}"')), known).scenes[0].text == full
    assert problems(write(scene(f'text = "{full}x"')), known)[0].endswith("(it takes 13)")


# What is wrong with one.

NAME = "small letters and digits, in words joined by hyphens, at most 40 characters"
TITLE = "text of 1 to 80 characters, on one line"
TEXT = "text of at most 5 lines of 75 characters; 12 without run and picture"
LANES = "a list of at most 4 lanes, each as the URL has it, in quotes"
PICTURE = "a list of pictures, each one of loop, chain, path, formula, cost"
MEASURE = (
    "filled in by {LANE.MEASURE}, or by two of one unit as in {2.whole/1.whole}, "
    "where LANE is 1 and MEASURE one of first, whole, pause, at100, tokens, rate"
)
FIELDS = "use, slug, title, lanes, pictures, text, ask, observe, minutes, notes"


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ('title = ""', f'title must be {TITLE}, but was ""'),
        ('title = "two\\nlines"', rf'title must be {TITLE}, but was "two\nlines"'),
        (f'title = "{"x" * 81}"', f'title must be {TITLE}, but was "{"x" * 81}"'),
        ("title = 5", f'title must be {TITLE}, but was "5" (it is not in quotes)'),
        (
            "text = 2026-01-01",
            f'text must be {TEXT}, but was "2026-01-01" (it is not in quotes)',
        ),
        (
            f'text = "{"x" * 901}"',
            f'text must be {TEXT}, but was "{"x" * 100}…" (it takes 13)',
        ),
        ('lanes = "tokens:5"', f'lanes must be {LANES}, but was "tokens:5"'),
        ("lanes = [5]", 'lane 1: it must be text in quotes, as the URL has it, but was "5"'),
        (
            'lanes = [" "]',
            'lane 1: a setting must be written as name:value, with one comma between two, but was " "',
        ),
        (f"lanes = {['tokens:5'] * 5}", f'lanes must be {LANES}, but was "5 lanes"'),
        ('lanes = ["", "tokens:0"]', 'lane 2: tokens must be a whole number from 1 to 10,000, but was "0"'),
        (
            'lanes = ["text:nope"]',
            'lane 1: text must be one of loop, waiting, streaming, page, but was "nope"',
        ),
        (
            'lanes = ["tokens:10000,delay_ms:1000"]',
            'lane 1: predicted_ms must be at most 600,000, but was "10,000,000.0"',
        ),
        ('pictures = "loop"', f'pictures must be {PICTURE}, but was "loop"'),
        ('pictures = ["loop", "loupe"]', f'pictures must be {PICTURE}, but was "loupe"'),
        ("ask = true", 'ask must be text of at most 120 characters, but was "True" (it is not in quotes)'),
        (f'observe = "{"x" * 301}"', f'observe must be text of at most 300 characters, but was "{"x" * 100}…"'),
        ('lanes = [""]\nobserve = "{2.whole}"', f'observe must be {MEASURE}, but was "{{2.whole}}"'),
        (
            'observe = "{1.whole}"',
            'observe must be text without braces, because the scene has no lanes, but was "{1.whole}"',
        ),
        ("minutes = 60.5", 'minutes must be a number from 0 to 60, but was "60.5"'),
        ("minutes = -1", 'minutes must be a number from 0 to 60, but was "-1"'),
        ("minutes = nan", 'minutes must be a number from 0 to 60, but was "nan"'),
        ("minutes = true", 'minutes must be a number from 0 to 60, but was "True"'),
        ('minutes = "2"', 'minutes must be a number from 0 to 60, but was "2"'),
        (f'notes = "{"x" * 5001}"', f'notes must be text of at most 5,000 characters, but was "{"x" * 100}…"'),
        ('use = "no-loop"', 'use must be the slug of a built-in scene: one of the-loop, but was "no-loop"'),
        ("use = 5", 'use must be the slug of a built-in scene, but was "5" (it is not in quotes)'),
        ("seconds = 5", f'seconds must be left out, or one of {FIELDS}, but was "5"'),
    ],
)
def test_each_wrong_field_of_a_scene_is_named_with_its_value_and_what_is_allowed(
    write: Write, known: Known, fields: str, told: str
) -> None:
    assert problems(write(scene(fields)), known) == [f"scene 1 (one): {told}"]


@pytest.mark.parametrize("slug", ["The Loop", "", "a--b", "-a", "ä", "a/b", "x" * 41])
def test_a_slug_is_one_word_of_an_address(write: Write, known: Known, slug: str) -> None:
    label = f" ({slug})" if slug else ""
    told = f'scene 1{label}: slug must be {NAME}, but was "{slug}"'
    assert problems(write(scene(f'slug = "{slug}"')), known) == [told]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "",
            [
                f'title must be {TITLE}, but was "" (it is missing)',
                'scenes must be one scene or more, each below [[scenes]], but was "" (it is missing)',
            ],
        ),
        ('title = "x"\nscenes = []', ['scenes must be one scene or more, each below [[scenes]], but was "none"']),
        ('title = "x"\nscenes = 5', ['scenes must be one scene or more, each below [[scenes]], but was "5"']),
        (
            'title = "x"\n[scenes]\nslug = "one"',
            ["scenes must be one scene or more, each below [[scenes]], but was \"{'slug': 'one'}\""],
        ),
        (
            'title = "x"\nscenes = [5, {}]',
            [
                'scene 1: it must be a table, written below [[scenes]], but was "5"',
                f'scene 2: slug must be {NAME}, but was "" (it is missing)',
                f'scene 2: title must be {TITLE}, but was "" (it is missing)',
            ],
        ),
        (
            'titel = "x"\n' + scene(""),
            ['titel must be left out, or one of title, texts, scenes, but was "x"'],
        ),
        (
            'use = "the-loop"',
            [
                f'title must be {TITLE}, but was "" (it is missing)',
                'scenes must be one scene or more, each below [[scenes]], but was "" (it is missing)',
                'use must be left out, or one of title, texts, scenes, but was "the-loop"',
            ],
        ),
        ("texts = 5\n" + scene(""), ['texts must be a table of at most 50 texts, but was "5"']),
    ],
)
def test_what_is_wrong_with_the_deck_itself_is_named(
    write: Write, known: Known, content: str, told: list[str]
) -> None:
    assert problems(write(content), known) == told


def test_there_may_be_fifty_texts(write: Write, known: Known) -> None:
    texts = [f'a{number} = "Hello."' for number in range(51)]
    table = "\n[texts]\n" + "\n".join(texts[:50])
    assert len(load(write(scene(table)), known).texts) == 50
    (told,) = problems(write(scene("\n".join([table, *texts[50:]]))), known)
    assert told.startswith("texts must be a table of at most 50 texts, but was ")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"Bad Name" = "x"', f'a name in texts must be {NAME}, but was "Bad Name"'),
        ('hello = ""', 'texts.hello must be text of 1 to 5,000 characters, but was ""'),
        ('hello = "   "', 'texts.hello must be text of 1 to 5,000 characters, but was "   "'),
        ("hello = 5", 'texts.hello must be text of 1 to 5,000 characters, but was "5" (it is not in quotes)'),
        *[
            (
                f'{name} = "x"',
                f'a name in texts must be one that is free, but was "{name}" (a built-in text has it)',
            )
            for name in [*TEXTS, "page"]
        ],
        ('taken = "x"', 'a name in texts must be one that is free, but was "taken" (other.toml has it)'),
    ],
)
def test_a_wrong_text_of_a_deck_is_named(write: Write, known: Known, text: str, told: str) -> None:
    assert problems(write(scene(f"[texts]\n{text}")), known) == [told]


def test_two_scenes_of_a_deck_have_two_slugs(write: Write, known: Known) -> None:
    twice = '[[scenes]]\nuse = "the-loop"\n[[scenes]]\nslug = "the-loop"\ntitle = "Mine"\n'
    assert problems(write(f'title = "Mine"\n{twice}{twice}'), known) == [
        f'scene {number} (the-loop): slug must be one that is free, but was "the-loop" (scene 1 has it)'
        for number in (2, 3, 4)
    ]


def test_everything_that_is_wrong_is_told_at_once_in_the_order_of_the_scenes(write: Write, known: Known) -> None:
    wrong = """
        titel = 5
        [texts]
        loop = "x"
        five = 5
        [[scenes]]
        slug = "one"
        title = ""
        lanes = ["tokens:0,delay_ms:x", "text:five", "colour", 5, "tokens:10000,delay_ms:10000"]
        pictures = ["loop", "loupe", 5]
        observe = "{5.whole} { {1.whole}"
        minutes = inf
        colour = "red"
        [[scenes]]
        use = "no-loop"
        ask = 5
        [[scenes]]
        slug = "one"
        title = "Again"
    """
    told = [line.partition(" must be ")[0] for line in problems(write(wrong), known)]
    assert told == [
        *["title", "texts.five", "titel", "a name in texts"],
        *["scene 1 (one): title", "scene 1 (one): lanes"],
        *["scene 1 (one): lane 1: tokens", "scene 1 (one): lane 1: delay_ms", "scene 1 (one): lane 3: colour"],
        *["scene 1 (one): lane 4: it", "scene 1 (one): lane 5: predicted_ms"],
        *["scene 1 (one): pictures"] * 2,
        *["scene 1 (one): observe"] * 2,
        *["scene 1 (one): minutes", "scene 1 (one): colour"],
        *["scene 2: use", "scene 2: ask", "scene 3 (one): slug"],
    ]


def test_a_problem_says_on_the_wire_what_it_says_in_words(write: Write, known: Known) -> None:
    with pytest.raises(BadDeck) as caught:
        load(write(scene('lanes = ["", "tokens:0"]')), known)
    (problem,) = caught.value.problems
    assert problem.wire() == {
        "scene": 0,
        "slug": "one",
        "lane": 1,
        "field": "tokens",
        "value": "0",
        "range": "a whole number from 1 to 10,000",
        "reason": "",
        "detail": str(problem),
    }


# What is wrong with a file.


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("titel", 'line 1 must be TOML, but was "titel" ('),
        ("titel =\n", 'line 1 must be TOML, but was "titel =" ('),
        ("scenes = [\n", 'line 2 must be TOML, but was "" ('),
        ('a = 1\r\nb = "x', 'line 2 must be TOML, but was "b = "x" ('),
        ("a = 1\n\n[b]\nc = 5 5\n", 'line 4 must be TOML, but was "c = 5 5" ('),
        ("a = 1\na = 2", 'line 2 must be TOML, but was "a = 2" ('),
        ('a = "\\uD800"', 'line 1 must be TOML, but was "a = "\\uD800"" ('),
        ("a = 5\rb = 6", 'line 1 must be TOML, but was "a = 5\\rb = 6" ('),
        ("a = 1\n\x00", 'line 2 must be TOML, but was "\\x00" ('),
    ],
)
def test_a_slip_in_the_syntax_is_told_with_its_line(write: Write, known: Known, content: str, told: str) -> None:
    (problem,) = problems(write(content), known)
    assert problem.startswith(told)
    assert problem.endswith(")")  # in tomllib's own words, which differ from one Python to the next


FILE = 'the file must be a TOML file of at most 256 kB, but was "mine.toml"'


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"\x89PNG\r\n", "byte 1 is not UTF-8"),
        ("title = 'é'".encode("latin-1"), "byte 10 is not UTF-8"),
        ("title = 'x'".encode("utf-16"), "byte 1 is not UTF-8"),
        (b"#" * (256 * 1024 + 1), "it is larger"),
        (b"a = " + b"[" * 5_000, ""),
        (b"a = " + b"9" * 5_000, ""),
    ],
    ids=["binary", "Latin-1", "UTF-16", "huge", "deep", "a long number"],
)
def test_what_is_no_deck_at_all_is_refused(write: Write, known: Known, content: bytes, told: str) -> None:
    (problem,) = problems(write(content), known)
    assert problem.startswith(FILE)
    assert told in problem


DEEP = ".".join(["a"] * 3_000) + " = 1"
HUGE = "0x" + "f" * 6_000


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (f"{DEEP}\n{scene('')}", "a"),
        (scene(f"use = {{ {DEEP} }}"), "scene 1 (one): use"),
        (scene(f"lanes = [{{ {DEEP} }}]"), "scene 1 (one): lane 1: it"),
        (scene(f"lanes = [{HUGE}]"), "scene 1 (one): lane 1: it"),
        (scene(f"pictures = [{HUGE}]"), "scene 1 (one): pictures"),
        (scene(f"minutes = {HUGE}"), "scene 1 (one): minutes"),
        (scene(f"[texts]\none = {HUGE}"), "texts.one"),
    ],
)
def test_a_value_that_has_no_text_is_refused_like_any_other(
    write: Write, known: Known, content: str, place: str
) -> None:
    (told,) = problems(write(content), known)
    assert told.startswith(f"{place} must be ")
    assert 'but was "more than can be shown"' in told


@pytest.mark.parametrize("depth", [1, 50, 100, 200, 400, 800])
def test_lists_in_lists_are_refused_however_deep(write: Write, known: Known, depth: int) -> None:
    assert problems(write(scene(f"ask = {'[' * depth}{']' * depth}")), known)


def test_a_file_may_have_256_kb(write: Write, known: Known) -> None:
    content = scene("").encode()
    whole = content + b"\n#" + b"x" * (256 * 1024 - len(content) - 2)
    assert load(write(whole), known).title == "Mine"


def test_what_is_not_a_file_is_refused_and_not_waited_for(tmp_path: Path, known: Known) -> None:
    missing, pipe, circle = (tmp_path / name for name in ("missing", "pipe", "circle"))
    os.mkfifo(pipe)
    circle.symlink_to(circle)  # stands for any file that can't be read: root may read all others
    told = [problem for path in (missing, tmp_path, pipe, circle) for problem in problems(path, known)]
    assert [problem.partition(" (")[2] for problem in told] == [
        "No such file or directory)",
        *["it is not a file)"] * 2,
        "Too many levels of symbolic links)",
    ]


SIGNS = ["[[scenes]]", "[texts]", "scenes = [", "]", '"', "'''", "= 5", "\x00"]
LINES = [*scene("").splitlines(), *GOOD.splitlines(), *SIGNS]
PIECES = st.lists(st.sampled_from(LINES) | st.text(max_size=10), max_size=30)
ANY_FILE = st.binary(max_size=200) | PIECES.map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass"))


@given(ANY_FILE)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the file is written anew for each
def test_any_file_is_a_deck_or_has_problems_of_one_line_each(write: Write, known: Known, content: bytes) -> None:
    try:
        found: Deck | BadDeck = load(write(content), known)
    except BadDeck as exc:
        found = exc
    if isinstance(found, BadDeck):
        assert found.problems
        assert all(str(problem).isprintable() for problem in found.problems)

"""The command line: its options, their environment variables, and what it says of wrong ones."""

import re
import socket
import tempfile
from importlib.metadata import version

import pytest

from server import launch
from server.settings import Settings
from tests.command import run


def test_several_workers_without_a_place_for_temporary_files_are_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"tempdir": None, "_candidate_tempdir_list": lambda: ["/proc"]}.items():
        monkeypatch.setattr(tempfile, name, value)
    result = run("serve", "--workers", "2")
    assert result.exit_code == 1
    assert "no place: No usable temporary directory found in ['/proc']" in result.output


def test_every_setting_is_an_option_and_an_environment_variable() -> None:
    told = run("serve", "--help").output
    for name, setting in Settings.model_fields.items():
        assert f"--{name.replace('_', '-')} " in told
        assert re.search(rf"TRICKLE_{name.upper()}[;\]]", told)
        match setting.default:
            case bool():
                assert f"--no-{name.replace('_', '-')}" in told
            case tuple(names):
                assert all(each in told for each in names)
            case None:
                assert f"TRICKLE_{name.upper()}; default: (none)" in told
            case default:
                assert str(default) in told


@pytest.mark.parametrize("arguments", [[], ["serve"]])
def test_a_setting_is_taken_from_the_environment(arguments: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run(*arguments, TRICKLE_PORT=port)
    assert result.exit_code != 0
    assert port in result.output


@pytest.mark.parametrize(
    ("option", "value", "low", "high"),
    [
        ("--port", "65536", "0", "65535"),
        ("--port", "-1", "0", "65535"),
        ("--workers", "0", "1", "64"),
        ("--workers", "65", "1", "64"),
        ("--max-run-s", "0", "1", "3600"),
        ("--max-run-s", "3601", "1", "3600"),
        ("--max-run-s", "ten", "1", "3600"),
        ("--max-streams", "0", "1", "100000"),
        ("--max-streams-per-client", "-1", "0", "100000"),
    ],
)
def test_a_bad_option_is_named_with_its_value_and_range(option: str, value: str, low: str, high: str) -> None:
    result = run("serve", option, value)
    assert result.exit_code != 0
    assert result.output.count("Error: ") == 1
    sentence = result.output.partition("Error: ")[2].replace(",", "")
    for told in (option, value, low, high):
        assert re.search(rf"(?<!\w){told}(?!\w)", sentence)


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        *[("--allowed-host", value, "trickle.example") for value in ("http://a", "a/b", "[::1", "a:", "*")],
        *[("--allow-origin", value, "https://slides.example") for value in ("a.example", "**", "null")],
        *[("--forwarded-allow-ips", value, "10.0.0.0/8") for value in ("proxy", "10.0.0.1/8", "300.1.1.1")],
        *[("--root-path", value, "/demo") for value in ("demo", "/demo/", "/", "//a", "/a/../b", "/a b", "/a?b")],
    ],
)
def test_each_name_or_path_says_what_it_is_to_look_like(option: str, value: str, told: str) -> None:
    sentence = run("serve", option, value).output.partition("Error: ")[2]
    assert sentence.startswith(f"{option} must be ")
    assert told in sentence
    assert sentence.endswith(f"but was {value}\n")


@pytest.mark.parametrize("value", ["localhost", "trickle.example:8000", "[::1]:8000", "192.0.2.7", "Demo.Example"])
def test_a_host_may_be_a_name_or_an_address(value: str) -> None:
    assert Settings(allowed_host=value).allowed_host == (value.lower(),)


@pytest.mark.parametrize("value", ["*", "10.0.0.0/8,::1", "192.0.2.7"])
def test_a_proxy_may_be_an_address_or_a_network(value: str) -> None:
    assert ",".join(Settings(forwarded_allow_ips=value).forwarded_allow_ips) == value


@pytest.mark.parametrize("value", ["", "/demo", "/a/b-c_d~e.f"])
def test_a_root_path_may_have_several_parts(value: str) -> None:
    assert Settings(root_path=value).root_path == value


BAD_ORIGINS = [
    "slides.example",
    "ftp://slides.example",
    "https://slides.example/",
    "https://",
    "https://a b.example",
]


@pytest.mark.parametrize("value", [*BAD_ORIGINS, "https://a.example;script-src", "https://a.exa\nmple", "*"])
def test_a_bad_name_in_a_list_is_named_with_an_example_of_a_good_one(value: str) -> None:
    result = run("serve", "--embed-origin", f"https://good.example,{value}")
    assert result.exit_code != 0
    sentence = result.output.partition("Error: ")[2]
    assert sentence.startswith("--embed-origin must be an origin such as https://slides.example")
    assert sentence.endswith(f"but was {value.strip()}\n")


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--embed-origin", "https://a.example", "--embed-origin", "HTTP://B.example:81"], {}),
        (["--embed-origin", "https://a.example,http://b.example:81"], {}),
        ([], {"TRICKLE_EMBED_ORIGIN": "https://a.example, http://b.example:81"}),
    ],
    ids=["twice", "with a comma", "from the environment"],
)
def test_a_list_is_given_by_repeating_the_option_or_with_commas(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], environment: dict[str, str]
) -> None:
    served: list[Settings] = []
    monkeypatch.setattr(launch, "uvicorn_config", served.append)
    monkeypatch.setattr(launch, "serve", lambda config, sock, say: sock.close())
    assert run("serve", "--port", "0", *arguments, **environment).exit_code == 0
    assert [settings.embed_origin for settings in served] == [("https://a.example", "http://b.example:81")]


def test_a_switch_may_be_an_environment_variable_and_says_what_that_may_be() -> None:
    output = run("serve", TRICKLE_PROXY_HEADERS="perhaps").output
    for told in ("--proxy-headers", "TRICKLE_PROXY_HEADERS", "perhaps", "true", "off"):
        assert told in output


def test_all_bad_options_are_named_at_once() -> None:
    output = run("serve", "--port", "65536", "--workers", "0").output
    assert "--port" in output.partition("Error: ")[2]
    assert "--workers" in output.partition("Error: ")[2]


def test_an_address_that_is_not_this_machines_is_said_in_one_sentence() -> None:
    result = run("serve", "--host", "192.0.2.1", "--port", "0")
    assert result.exit_code != 0
    (sentence,) = result.output.splitlines()
    assert "192.0.2.1" in sentence


def test_help_and_version_are_told() -> None:
    assert "serve" in run("--help").output
    assert run("--version").output == f"trickle {version('token-trickle')}\n"


def test_an_unknown_command_is_refused() -> None:
    assert run("sevre").exit_code != 0

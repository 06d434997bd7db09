"""`trickle measure` against real servers: good ones, and each that is not."""

import json
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from server import recording
from server.latency.tokens import TEXTS
from server.measure.failure import EXIT_CODES, STOPPED_EXIT_CODE
from tests import command
from tests.measure.raw import HANG, MODELS, OPEN, Raw, Reply, in_chunks, raw, whole
from tests.measure.script import DONE, chunk
from tests.process import PATIENCE_S, ROOT, Server, serving

CHAT = "/v1/chat/completions"
ANSWER: Reply = [OPEN + chunk("When", due_ms=1, sent_ms=2) + chunk(" a") + chunk(None, "stop") + DONE]
SILENCE_S = 2  # long enough for a busy machine to answer in
COMMAND = (sys.executable, "-m", "server", "measure")


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving("serve") as server:
        yield server


def url(server: Server, path: str = "/v1") -> str:
    return f"http://{server.host}:{server.port}{path}"


def run(*arguments: str, **environment: str) -> Result:
    return command.run("measure", *arguments, **environment)


def run_json(*arguments: str) -> Any:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    assert result.stderr == ""
    return json.loads(result.stdout)  # one document and nothing else


def model(*replies: Reply) -> dict[str, list[Reply]]:
    """A server with one model."""
    return {"/v1/models": [whole(MODELS)], CHAT: list(replies)}


def test_a_model_of_trickles_is_measured_with_its_lateness(server: Server) -> None:
    told = run_json(url(server), "--model", "trickle:tokens=100,delay_ms=5,ttft_ms=300")
    (lane,) = told["lanes"]
    assert (lane["answers"], lane["whole"], lane["tokens"], lane["counted"]) == (1, 1, 100, 100)
    measures = lane["measures"]
    assert measures["ttft_ms"]["min"] >= 300
    assert measures["e2e_ms"]["min"] >= 300 + 99 * 5
    assert measures["sent_late_ms"]["min"] >= 0
    assert measures["arrival_late_ms"]["min"] >= 0
    assert measures["tpot_ms"]["median"] > 0
    assert told["settings"]["model"] == "trickle:tokens=100,delay_ms=5,ttft_ms=300"
    assert told["requests"][0]["answers"][0]["ended"] == "done"


def test_each_lane_of_a_stream_is_measured(server: Server) -> None:
    result = run(url(server, "/stream?lane=tokens:20,delay_ms:2,title:One&lane=tokens:5,delay_ms:2,title:Two"))
    assert result.exit_code == 0
    assert result.stderr == ""
    assert "1 request\n25 tokens in " in result.stdout
    assert "answer 1: One\n" in result.stdout
    assert "answer 2: Two\n" in result.stdout
    labels = [line[:18].strip() for line in result.stdout.splitlines() if line[18:].strip()]
    for label in ("TTFT, ms", "ITL, ms", "TPOT, ms", "E2E, ms", "sent − due, ms", "arrival − due, ms", "QoE"):
        assert labels.count(label) == 2


def test_twenty_at_a_time_are_whole_and_none_is_early(server: Server) -> None:
    load = ("--requests", "40", "--concurrency", "20", "--warmup", "2")
    told = run_json(url(server), *load, "--model", "trickle:tokens=50,delay_ms=10")
    (lane,) = told["lanes"]
    assert (lane["answers"], lane["whole"], lane["tokens"], lane["counted"]) == (40, 40, 2_000, 2_000)
    assert lane["measures"]["sent_late_ms"]["min"] >= 0
    assert lane["measures"]["arrival_late_ms"]["min"] >= 0
    assert lane["measures"]["ttft_ms"]["min"] >= 10
    assert [len(request["answers"]) for request in told["requests"]] == [1] * 40


def test_a_saved_answer_is_a_recording(server: Server, tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    result = run(url(server), "--model", "trickle:tokens=100,delay_ms=2", "--save", str(path))
    assert result.exit_code == 0
    assert result.stderr == f"Saved {path}: 100 tokens, done.\n"
    read = recording.read(path)
    assert "".join(token.text for token in read.tokens) == TEXTS["loop"]
    assert all(token.arrival_ms >= 2 * number for number, token in enumerate(read.tokens, start=1))
    assert (read.source, read.model, read.ended) == (url(server), "trickle:tokens=100,delay_ms=2", "done")


def test_any_server_of_openais_dialect_is_measured() -> None:
    with raw(model(ANSWER)) as other:
        result = run(other.url, "--requests", "3", "--concurrency", "2", "--warmup", "1", "--prompt", "")
    assert result.exit_code == 0
    assert f"{other.url}/v1 · model some-model\n3 requests, 2 at a time, after 1 to warm up\n" in result.stdout
    assert other.asked == ["/v1/models", *[CHAT] * 4]


def test_where_chunks_hold_several_tokens_that_is_told() -> None:
    usage = b'data: {"choices": [], "usage": {"completion_tokens": 4}}\n\n'
    with raw(model([OPEN + chunk("When") + chunk(" a model") + usage + DONE])) as other:
        result = run(other.url)
    assert "2 chunks for 4 tokens: TPOT and rates count tokens, all else chunks\n" in result.stdout


FAULTS: dict[str, tuple[dict[str, list[Reply]], int, str]] = {
    "no HTTP": ({"/v1/models": [[b"220 mail.test ESMTP\r\n\r\n"]]}, 3, "refused: illegal status line"),
    "closed at once": ({"/v1/models": [[]]}, 3, "refused: Server disconnected without sending a response."),
    "no key": (
        {"/v1/models": [whole(b'{"error": {"message": "no key"}}', 401)]},
        3,
        "refused: status 401: no key (the key is taken from OPENAI_API_KEY)",
    ),
    "a redirect": (
        model(whole(b"", 307, more="Location: http://elsewhere/\r\n")),
        3,
        "refused: status 307: it redirects to http://elsewhere/",
    ),
    "no place": (model(whole(b"come later", 503, "text/plain")), 3, "refused: status 503: come later"),
    "silent": (model([HANG]), 4, f"timed out: nothing came for {SILENCE_S} s"),
    "silent midway": (model([OPEN + chunk("When"), HANG]), 4, f"timed out: nothing came for {SILENCE_S} s"),
    "a web page": (
        model(whole(b"<h1>Hello</h1>", kind="text/html; charset=utf-8")),
        5,
        "not a stream: the server answers text/html, not text/event-stream",
    ),
    "broken JSON": (
        model([OPEN + chunk("When") + b'data: {"choices": [\n\n']),
        5,
        'not a stream: a chunk is not one of OpenAI\'s: {"choices": [',
    ),
    "cut midway": (model(in_chunks(chunk("When"))), 6, "cut: the connection broke: peer closed connection"),
    "ended midway": (model([OPEN + chunk("When")]), 6, "cut: the stream ended before the answer did"),
    "an error in the stream": (
        model([OPEN + chunk("When") + b'data: {"error": {"message": "out of memory"}}\n\n']),
        7,
        "failed: out of memory",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_message_and_its_exit_code_and_loses_nothing_that_came(name: str) -> None:
    replies, exit_code, reason = FAULTS[name]
    with raw(replies) as other:
        result = run(other.url, "--timeout", f"{SILENCE_S}", "--json")
    assert result.exit_code == exit_code
    assert result.stderr.startswith(f"Error: {reason}")
    assert result.stderr.count("\n") == 1
    if CHAT not in replies:
        assert result.stdout == ""
        return
    came = any(b"When" in piece for reply in replies[CHAT] for piece in reply if piece)
    told = json.loads(result.stdout)
    (lane,), ((answer,),) = told["lanes"], [request["answers"] for request in told["requests"]]
    assert (lane["is_partial"], lane["tokens"], lane["whole"]) == (True, int(came), 0)
    assert (answer["ttft_ms"] is not None) == came
    assert answer["e2e_ms"] is None
    assert result.stderr == f"Error: {answer['ended']}: {answer['reason']}\n"


def test_what_came_of_a_broken_answer_is_told_as_partial_and_of_none_nothing_is() -> None:
    with raw(model(in_chunks(chunk("When")), [OPEN])) as other:
        partial, nothing = run(other.url), run(other.url)
    assert "\n1 token in " in partial.stdout
    assert "\npartial: no answer is whole, and these are measures of what came\n" in partial.stdout
    assert nothing.stdout == ""


def test_a_server_that_is_not_there_has_refused() -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # but it does not listen
        result = run(f"127.0.0.1:{nobody.getsockname()[1]}/stream")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "Error: refused: Connection refused\n"


def test_a_connection_that_is_never_made_has_timed_out() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_connection(full.getsockname()):
        result = run(f"127.0.0.1:{full.getsockname()[1]}/stream", "--timeout", "0.3")
    assert result.exit_code == 4
    assert result.stderr == "Error: timed out: no connection within 0.3 s\n"


def test_https_where_there_is_none_is_told(server: Server) -> None:
    result = run(url(server).replace("http:", "https:"))
    assert result.exit_code == 3
    assert "SSL" in result.stderr


@pytest.mark.parametrize(
    ("lane", "exit_code", "reason"),
    [("cut_at:3", 6, "cut: the stream ended before"), ("fail_at:3", 7, "failed: the model failed after 3 tokens")],
)
def test_what_trickle_breaks_on_purpose_is_told(server: Server, lane: str, exit_code: int, reason: str) -> None:
    result = run(url(server, f"/stream?lane=tokens:9,delay_ms:1,{lane}"))
    assert result.exit_code == exit_code
    assert result.stderr.startswith(f"Error: {reason}")
    assert "3 tokens in " in result.stdout
    assert f"1 answer {reason}" in result.stdout


def test_a_bad_lane_is_refused_in_trickles_own_words(server: Server) -> None:
    result = run(url(server, "/stream?lane=tokens:0"))
    assert result.exit_code == 3
    assert "status 400: lane 1: tokens must be a whole number from 1 to 10,000" in result.stderr


def test_of_several_answers_the_whole_ones_are_measured_and_the_others_counted() -> None:
    with raw(model(ANSWER, in_chunks(chunk("When")), ANSWER)) as other:
        result = run(other.url, "--requests", "3")
    assert result.exit_code == 6
    assert "\nof the whole answers, 2 of 3\n" in result.stdout
    assert "\n1 answer cut: the connection broke: " in result.stdout


def test_a_failure_while_warming_up_is_told_as_such() -> None:
    with raw(model(whole(b"come later", 503, "text/plain"))) as other:
        result = run(other.url, "--warmup", "1")
    assert (result.exit_code, result.stdout) == (3, "")
    assert result.stderr == "Error: refused: status 503: come later (while warming up)\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["ftp://a/v1"], 'URL must be such as http://127.0.0.1:8000/v1 or http://127.0.0.1:8000/stream?lane=tokens:100'),
        (["a/stream", "--model", "trickle"], "--model and --prompt are for an OpenAI-compatible server"),
        (["a/stream", "--prompt", ""], "--model and --prompt are for an OpenAI-compatible server"),
        (["a", "--requests", "0"], "0 is not in the range 1<=x<=10000"),
        (["a", "--save", "missing/file"], "--save: missing/file can't be written: No such file or directory"),
        ([], "Missing argument 'URL'"),
    ],
)
def test_a_bad_option_is_told_before_anything_is_asked(arguments: list[str], reason: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert reason in result.stderr


def test_a_key_that_no_header_can_hold_is_a_bad_option() -> None:
    result = run("a", OPENAI_API_KEY="sk-…")
    assert result.exit_code == 2
    assert "OPENAI_API_KEY must be plain ASCII, on one line" in result.stderr
    assert "sk-" not in result.stderr


def test_the_key_from_the_environment_opens_a_server() -> None:
    arguments = ("--model", "trickle:tokens=1")
    with serving("serve", "--api-key", "sk-trickle") as server:
        assert run(url(server), *arguments, OPENAI_API_KEY="sk-trickle\n").exit_code == 0
        result = run(url(server), *arguments, OPENAI_API_KEY="sk-wrong")
    assert result.exit_code == 3
    assert "status 401" in result.stderr
    assert "sk-wrong" not in result.stderr


def test_a_file_that_is_there_is_kept_unless_it_is_to_be_replaced(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    path.write_text("precious")
    with raw(model(ANSWER)) as other:
        kept = run(other.url, "--save", str(path))
        assert (kept.exit_code, path.read_text(), other.asked) == (2, "precious", [])
        assert f"--save: {path} is there already; --force replaces it" in kept.stderr
        assert run(other.url, "--save", str(path), "--force").exit_code == 0
    assert [token.text for token in recording.read(path).tokens] == ["When", " a"]


@pytest.mark.parametrize("before", [None, "precious"])
def test_where_no_token_came_nothing_is_saved_and_nothing_is_lost(tmp_path: Path, before: str | None) -> None:
    path = tmp_path / "saved.json"
    if before:
        path.write_text(before)
    with raw(model(whole(b"", 503))) as other:
        result = run(other.url, "--save", str(path), "--force")
    assert result.exit_code == 3
    assert "Nothing was saved, because no token came.\n" in result.stderr
    assert (path.read_text() if path.exists() else None) == before


@pytest.mark.parametrize(
    ("first", "ended"),
    [
        (in_chunks(chunk("When")), "cut"),
        ([OPEN + chunk("When") + b'data: {"error": "oh"}\n\n'], "failed"),
        ([OPEN + b"".join(chunk(" a") for _ in range(recording.MAX_TOKENS + 1)) + DONE], "stopped"),
    ],
)
def test_a_part_is_saved_as_what_it_is(tmp_path: Path, first: Reply, ended: str) -> None:
    path = tmp_path / "saved.json"
    with raw(model(first)) as other:
        run(other.url, "--save", str(path))
    assert recording.read(path).ended == ended


def test_of_several_answers_the_first_whole_one_is_saved(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with raw(model(in_chunks(chunk("Cut")), ANSWER)) as other:
        run(other.url, "--requests", "2", "--save", str(path))
    assert [token.text for token in recording.read(path).tokens] == ["When", " a"]


def test_an_answer_that_no_recording_can_hold_is_measured_and_not_saved(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with raw(model([OPEN + chunk("a" * 10_001) + DONE])) as other:
        result = run(other.url, "--save", str(path))
    assert result.exit_code == 1
    assert "1 token in" in result.stdout
    assert "Error: a recording can't hold this answer: tokens.0.text: " in result.stderr
    assert not path.exists()


def test_a_full_disk_is_told_after_what_was_measured() -> None:
    with raw(model(ANSWER)) as other:
        result = run(other.url, "--save", "/dev/full", "--force")
    assert result.exit_code == 1
    assert "2 tokens in" in result.stdout
    assert result.stderr == "Error: /dev/full can't be written: No space left on device\n"


def read(terminal: int) -> str:
    """All that was shown on a terminal whose other end is closed, which reading says with an error."""
    shown = b""
    with suppress(OSError):
        while piece := os.read(terminal, 65_536):
            shown += piece
    os.close(terminal)
    return shown.decode()


def test_a_pipe_gets_no_progress_and_a_terminal_does() -> None:
    with raw(model(ANSWER)) as other:
        arguments = [*COMMAND, other.url, "--requests", "3"]
        in_pipe = subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE_S)
        theirs, ours = pty.openpty()
        at_terminal = subprocess.run(
            arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=ours, text=True, timeout=PATIENCE_S
        )
        os.close(ours)
        shown = read(theirs)
    assert (in_pipe.returncode, in_pipe.stderr) == (0, "")
    assert at_terminal.returncode == 0
    assert "measuring" in shown
    assert "3/3" in shown
    assert [line.split()[:1] for line in at_terminal.stdout.splitlines()] == [
        line.split()[:1] for line in in_pipe.stdout.splitlines()
    ]


def interrupted(other: Raw, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Press Ctrl-C when the server hangs. Tests in the background ignore it, and what they start would too."""
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [*COMMAND, other.url, *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    signal.signal(signal.SIGINT, ours)
    with process:
        assert other.hanging.wait(PATIENCE_S)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE_S)
        return subprocess.CompletedProcess(process.args, process.returncode, stdout, stderr)


def test_ctrl_c_prints_and_saves_what_there_is(tmp_path: Path) -> None:
    path = tmp_path / "saved.json"
    with raw(model(ANSWER, [HANG])) as other:
        result = interrupted(other, "--requests", "5", "--save", str(path))
    assert result.returncode == 130
    assert result.stderr == f"Saved {path}: 2 tokens, done.\nStopped.\n"
    assert "\n2 requests, 1 at a time\n2 tokens in " in result.stdout
    assert "\nof the whole answers, 1 of 2\n" in result.stdout
    assert result.stdout.endswith("\n1 answer stopped\n")
    assert recording.read(path).tokens[0].arrival_ms > Decimal(0)


def test_ctrl_c_leaves_json_that_says_so() -> None:
    with raw(model(ANSWER, [HANG])) as other:
        result = interrupted(other, "--requests", "5", "--concurrency", "1", "--json")
    assert (result.returncode, result.stderr) == (130, "Stopped.\n")
    told = json.loads(result.stdout)
    assert told["stopped"] is True
    assert [request["answers"][0]["ended"] for request in told["requests"]] == ["done", "stopped"]


def test_ctrl_c_before_anything_came_says_only_that() -> None:
    with raw({"/v1/models": [[HANG]]}) as other:
        result = interrupted(other)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "Stopped.\n")


def test_its_help_names_every_option_and_exit_code() -> None:
    told = run("--help").output
    for option in ("model", "prompt", "requests", "concurrency", "warmup", "timeout", "json", "save", "force"):
        assert f"  --{option} " in told
    for kind, code in (EXIT_CODES | {"Ctrl-C": STOPPED_EXIT_CODE}).items():
        assert re.search(rf"\b{code} (a |the model )?{kind}", " ".join(told.split()))

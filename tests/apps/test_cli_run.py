"""A task done by an agent: how it ends, what it prints where, and what an endpoint may do to it."""

from __future__ import annotations

import json
import os
import time

import pytest


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def test_an_answer_is_exit_0_and_alone_on_standard_output(cli, script, tmp_path):
    (tmp_path / "work" / "a.txt").write_text("one\ntwo\n")
    ran = cli("run", "how many lines?", "--model", script(call("read_file", path="a.txt"), "Two lines."))
    assert (ran.code, ran.out) == (0, "Two lines.\n")
    assert "read_file" in ran.err and "a.txt" in ran.err and " ms" in ran.err


def test_json_tells_the_calls_and_what_was_used(cli, script):
    ran = cli("run", "x", "--json", "--model", script(call("calculate", expression="6*7"), "42"))
    document = ran.document
    assert ran.code == 0 and document["result"] == "42" and document["ending"] == "answered"
    assert document["steps"] == 2 and document["permission_denials"] == []
    assert [(c["name"], c["status"]) for c in document["calls"]] == [("calculate", "ok")]


def test_work_in_another_folder(cli, script, tmp_path):
    there = tmp_path / "there"
    there.mkdir()
    model = script(call("write_file", path="f", content="x"), "done")
    assert cli("run", "x", "--cwd", str(there), "--model", model).code == 0
    assert (there / "f").read_text() == "x"


@pytest.mark.integration
def test_a_limit_is_exit_4(cli, script):
    model = script(*[call("calculate", expression=f"{n}+1") for n in range(5)], "never")
    ran = cli("run", "x", "--max-steps", "2", "--model", model)
    assert (ran.code, ran.out) == (4, "") and "2 steps" in ran.err
    assert cli("run", "x", "--max-steps", "2", "--model", model, "--json").document["ending"] == "limit"
    start = time.monotonic()
    ran = cli("run", "x", "--max-seconds", "0.5", "--model", script(call("terminal", command="sleep 20"), "never"))
    assert ran.code == 4 and "time limit" in ran.err and time.monotonic() - start < 5


def test_a_denied_call_that_ends_the_work_is_exit_5(cli, script):
    model = script(call("terminal", command="sudo true"), "I could not.")
    for flags in ([], ["--deny"]):
        ran = cli("run", "x", *flags, "--model", model)
        assert (ran.code, ran.out) == (5, "I could not.\n") and "denied" in ran.err
    document = cli("run", "x", "--json", "--model", model).document
    (denied,) = document["permission_denials"]
    assert (denied["name"], denied["arguments"]) == ("terminal", '{"command": "sudo true"}')
    assert denied["by"] == "approval" and "rights of another user" in denied["reason"]
    assert denied["allow_with"] == ["handiwork policy add allow 'terminal(sudo true)'"]


def test_an_unattended_force_push_is_refused_and_told_how_to_allow(cli, script):
    model = script(call("terminal", command="git push --force origin main"), "I could not.")
    ran = cli("run", "x", "--model", model)
    assert ran.code == 5 and "handiwork policy add allow 'terminal(git push --force origin main)'" in ran.err


def test_a_denial_inside_another_call_counts(cli, script, home):
    cli("config", "set", "tools_budget_tokens", "1500")
    pushed = {"name": "terminal", "arguments": {"command": "git push --force origin main"}}
    inner = {"calls": [{"name": "tool_call", "arguments": pushed}]}
    ran = cli("run", "x", "--json", "--model", script(inner, "I could not."))
    assert ran.code == 5, ran.document
    assert [d["name"] for d in ran.document["permission_denials"]] == ["terminal"]


def test_yes_says_yes(cli, script, tmp_path):
    outside = str(tmp_path / "outside.txt")
    model = script(call("write_file", path=outside, content="x"), "done")
    assert cli("run", "x", "--model", model).code == 5 and not os.path.exists(outside)
    assert cli("run", "x", "--yes", "--model", model).code == 0 and os.path.exists(outside)


def test_only_what_is_enabled_can_be_called(cli, script):
    model = script(call("terminal", command="echo hi"), "done")
    document = cli("run", "x", "--toolsets", "file", "--model", model, "--json").document
    assert document["calls"][0]["status"] == "refused" and "not enabled" in document["calls"][0]["content"]
    document = cli("run", "x", "--disable", "terminal", "--model", model, "--json").document
    assert document["calls"][0]["status"] == "refused"


def test_a_model_in_a_circle_and_a_script_that_ends(cli, script):
    assert cli("run", "x", "--model", script(*[call("read_file", path="none")] * 20)).code == 1
    ran = cli("run", "x", "--model", script(call("calculate", expression="1")))
    assert (ran.code, ran.out) == (1, "") and len(ran.err.strip().splitlines()[-2:]) == 2 and "end" in ran.err


def bodies(endpoint):
    """A URL, and the user messages that its model was sent."""
    seen = []

    def answer(handler):
        seen.extend(m["content"] for m in json.loads(handler.body)["messages"] if m["role"] == "user")
        reply(handler, {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]})

    return endpoint(answer), seen


def test_the_prompt_is_what_was_said_and_what_came_in(cli, endpoint):
    url, seen = bodies(endpoint)
    model = ("--model", f"{url}#m")
    cli("run", "Review", *model, stdin="a diff\n")
    cli("run", "-", *model, stdin="all of it\n")
    cli("run", "Alone", *model, stdin="  \n")
    assert seen == ["Review\n\n<stdin>\na diff\n\n</stdin>", "all of it\n", "Alone"]


def test_bytes_that_are_no_text_are_piped_in_too(command, endpoint):
    url, seen = bodies(endpoint)
    assert command("run", "Review", "--model", f"{url}#m", stdin=b"caf\xe9 \xff").out == "ok\n"
    assert "caf\ufffd" in seen[0]


# ------------------------------------------------------------------------------------------- endpoints


def reply(handler, document, status=200, kind="application/json"):
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


NONSENSE = {
    "no JSON": b"<html>welcome</html>",
    "nothing": b"",
    "another object": {"hello": 1},
    "no choices": {"choices": []},
    "a list": [1, 2],
    "null message": {"choices": [{"message": None}]},
    "wrong kinds": {"choices": [{"message": {"content": 7, "tool_calls": "x"}}]},
    "wrong parts": {"choices": [{"message": {"content": "a", "tool_calls": [3]}}]},
    "text for choices": {"choices": "none"},
    "text for usage": {"usage": {"prompt_tokens": "many"}, "choices": [{"message": "hi"}]},
}


@pytest.mark.parametrize("body", NONSENSE.values(), ids=NONSENSE)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream"])
def test_nonsense_is_exit_1_with_a_cause(cli, endpoint, body, kind):
    url = endpoint(lambda handler: reply(handler, body, kind=kind))
    ran = cli("run", "x", "--model", f"{url}#m")
    assert (ran.code, ran.out) == (1, "") and ran.err.startswith("error: ") and "internal" not in ran.err
    assert len(ran.err.splitlines()) <= 3
    assert cli("run", "x", "--model", f"{url}#m", "--json").document["exit_code"] == 1


@pytest.mark.parametrize(("status", "code"), [(400, 1), (401, 3), (404, 1)])
def test_a_refusal_is_told(cli, endpoint, status, code):
    url = endpoint(lambda handler: reply(handler, {"error": {"message": "no such thing"}}, status))
    ran = cli("run", "x", "--model", f"{url}#m")
    assert ran.code == code and ran.out == "" and str(status) in ran.err


def test_an_endpoint_that_is_down_is_told_at_once(cli, endpoint, monkeypatch):
    start = time.monotonic()
    ran = cli("run", "x", "--model", "http://127.0.0.1:9/v1#m")
    assert (ran.code, ran.out) == (1, "") and "127.0.0.1:9" in ran.err and len(ran.err.splitlines()) <= 3
    assert time.monotonic() - start < 5


@pytest.mark.integration
def test_an_endpoint_that_is_slow_ends_at_the_limit(cli, endpoint):
    url = endpoint(lambda handler: time.sleep(3))
    start = time.monotonic()
    ran = cli("run", "x", "--model", f"{url}#m", "--max-seconds", "0.5")
    assert ran.code == 4 and time.monotonic() - start < 2.5


def test_an_endpoint_that_breaks_off_is_exit_1(cli, endpoint):
    def half(handler):
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        handler.wfile.write(b'data: {"choices": [{"delta": {"content": "hal"}}]}\n\n')

    ran = cli("run", "x", "--model", f"{endpoint(half)}#m")
    assert (ran.code, ran.out) == (1, "") and "broke" in ran.err


def test_the_key_is_never_shown(cli, endpoint, monkeypatch):
    key = "sk-" + "Zq9x" * 10
    monkeypatch.setenv("HANDIWORK_API_KEY", key)
    url = endpoint(lambda handler: reply(handler, {"error": {"message": f"bad key {key}"}}, 401))
    ran = cli("run", "x", "--model", f"{url}#m")
    assert ran.code == 3 and key not in ran.out + ran.err


# ------------------------------------------------------------------------------------------------ chat


def test_chat_answers_line_by_line_and_tells_how_the_last_turn_ended(cli, script):
    ran = cli("chat", "--model", script("one", "two"), stdin="first\n\nsecond\n/quit\nthird\n")
    assert (ran.code, ran.out) == (0, "one\ntwo\n")
    ran = cli("chat", "--model", script("one"), stdin="first\nsecond\n")
    assert (ran.code, ran.out) == (1, "one\n") and "error: " in ran.err
    ran = cli("chat", "--model", script("one"), "--json", stdin="first\nsecond\n")
    first, second = ran.document["turns"]
    assert ran.code == 1 and first["result"] == "one" and second["exit_code"] == 1
    assert cli("chat", "--model", script("one")).code == 0


def test_a_place_for_commands_is_named_on_the_command_line(cli, script):
    calls = {"calls": [{"name": "terminal", "arguments": {"command": "echo here"}}]}
    ran = cli("run", "x", "--yes", "--json", "--sandbox", "local", "--model", script(calls, "done"))
    assert ran.code == 0 and "here" in ran.document["calls"][0]["content"]
    wrong = cli("run", "x", "--sandbox", "gvisor", "--model", script("done"))
    assert wrong.code == 2 and "no place for commands: 'gvisor'" in wrong.err and "bubblewrap" in wrong.err

"""Tokens and cost of tasks and sessions, and the limits on them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

PRICES = "prices: {'scripted:script.json': {input: 1000, output: 2000, cached_input: 100}}\n"


def step(n, tokens=100, **more):
    calls = [{"name": "todo", "arguments": {"todos": [{"content": f"s{n}", "status": "pending"}]}}]
    return {"calls": calls, "usage": {"input_tokens": tokens, "output_tokens": 10}, **more}


def answer(text="Done."):
    return {"text": text, "usage": {"input_tokens": 200, "output_tokens": 20}}


def test_a_run_tells_what_it_took_in_its_last_line_and_as_data(cli, script, configure):
    configure(PRICES)
    ran = cli("run", "go", "--model", script(step(1), answer()))
    assert ran.code == 0 and ran.err.splitlines()[-1] == "300 tokens in, 30 out; cost $0.3600"
    document = cli("run", "go", "--json", "--model", script(step(1), answer())).document
    assert document["usage"] == {
        "input_tokens": 300,
        "output_tokens": 30,
        "cached_tokens": 0,
        "cache_write_tokens": 0,
        "reasoning_tokens": 0,
        "cost_usd": 0.36,
        "unpriced_requests": 0,
    }


def test_a_session_tells_what_it_took_over_all_its_tasks(cli, script, configure):
    configure(PRICES)
    cli("run", "go", "--model", script(step(1), answer()))
    cli("sessions", "resume", "last", "more", "--model", script(answer()))
    (listed,) = cli("sessions", "list", "--json").document["sessions"]
    assert listed["usage"]["input_tokens"] == 500 and listed["usage"]["cost_usd"] == pytest.approx(0.6)
    shown = cli("sessions", "show", "last", "--json").document
    assert shown["session"]["usage"] == listed["usage"]
    assert [e["body"]["usage"]["cost_usd"] for e in shown["entries"] if e["kind"] == "reply"] == [0.12, 0.24, 0.24]
    assert "500 tokens in, 50 out; cost $0.6000" in cli("sessions", "show", "last").out
    assert "550" in cli("sessions", "list").out and "$0.6000" in cli("sessions", "list").out


def test_a_model_on_this_machine_costs_nothing(cli, script):
    assert cli("run", "go", "--model", script(answer())).err.splitlines()[-1].endswith("cost $0.0000")


def replying(*usages):
    """An endpoint's answers: plain text, with what each says of tokens."""
    left = iter(usages)

    def reply(handler):
        usage = next(left)
        body = {
            "model": "m-1",
            "choices": [{"message": {"role": "assistant", "content": "ok"}, "finish_reason": "stop"}],
        }
        data = json.dumps({**body, "usage": usage} if usage else body).encode()
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    return reply


def test_an_unknown_price_is_never_a_sum(cli, endpoint, configure, script):
    url = endpoint(replying({"prompt_tokens": 50, "completion_tokens": 5}))
    ran = cli("run", "go", "--model", f"{url}#m")
    assert ran.err.splitlines()[-1] == "50 tokens in, 5 out; cost -"
    usage = cli("sessions", "list", "--json").document["sessions"][0]["usage"]
    assert usage["cost_usd"] is None and usage["unpriced_requests"] == 1
    configure(PRICES)
    cli("sessions", "resume", "last", "more", "--model", script(answer()))
    assert "at least $0.2400" in cli("sessions", "list").out
    usage = cli("sessions", "list", "--json").document["sessions"][0]["usage"]
    assert usage["cost_usd"] == 0.24 and usage["unpriced_requests"] == 1


def test_the_parts_that_a_server_tells_are_priced_as_they_are(cli, endpoint, configure):
    configure("prices: {m: {input: 1000, output: 2000, cached_input: 100}}\n")
    details = {"prompt_tokens_details": {"cached_tokens": 800}, "completion_tokens_details": {"reasoning_tokens": 7}}
    url = endpoint(replying({"prompt_tokens": 1000, "completion_tokens": 10, **details}))
    ran = cli("run", "go", "--model", f"{url}#m")
    assert ran.err.splitlines()[-1] == "1,000 tokens in (800 cached), 10 out; cost $0.3000"


@pytest.mark.parametrize(
    ("flags", "config", "said"),
    [
        (["--max-tokens", "200"], "", "the limit of 200 tokens is reached"),
        (["--max-cost", "0.2"], PRICES, "the limit of $0.2 is reached"),
        (["--max-turns", "2"], "", "the limit of 2 steps is reached"),
        (["--max-steps", "2"], "", "the limit of 2 steps is reached"),
        ([], "max_tokens: 200\n", "the limit of 200 tokens is reached"),
        ([], PRICES + "max_cost: 0.2\n", "the limit of $0.2 is reached"),
    ],
)
def test_a_limit_ends_with_exit_4_and_a_session_to_go_on_with(cli, script, configure, flags, config, said):
    configure(config)
    ran = cli("run", "go", *flags, "--model", script(*map(step, range(9)), answer()))
    assert ran.code == 4 and f"ended: limit: {said}" in ran.err and "handiwork sessions resume" in ran.err
    configure(PRICES)
    again = cli("sessions", "resume", "last", "--model", script(answer("All done.")))
    assert (again.code, again.out) == (0, "All done.\n")


def test_a_limit_on_money_that_cant_be_kept_is_refused_before_anything_is_asked(cli, endpoint):
    asked = []
    url = endpoint(asked.append)
    ran = cli("run", "go", "--max-cost", "1", "--model", f"{url}#m")
    assert ran.code == 2 and not asked and "no price is known for the model m" in ran.err and "prices" in ran.err


@pytest.mark.parametrize("value", ["0", "-1", "nan", "inf"])
def test_a_limit_that_is_none_is_refused(cli, script, value):
    assert cli("run", "go", f"--max-cost={value}", "--model", script("ok")).code == 2


def test_delegates_count_for_their_principal(cli, script, configure):
    configure(PRICES)
    handed_on = {"name": "delegate_task", "arguments": {"tasks": [{"task": "look", "tools": ["file"]}]}}
    replies = [{"calls": [handed_on], "usage": {"input_tokens": 100}}, answer("seen"), answer()]
    document = cli("run", "go", "--json", "--model", script(*replies)).document
    assert document["usage"]["input_tokens"] == 500 and document["usage"]["cost_usd"] == pytest.approx(0.58)
    sessions = cli("sessions", "list", "--json").document["sessions"]
    assert [s["usage"]["input_tokens"] for s in sessions] == [200, 500]  # the delegate's own, and all
    limited = cli("run", "go", "--max-tokens", "310", "--model", script(*replies))
    assert limited.code == 4 and "the limit of 310 tokens" in limited.err


def test_a_delegate_gets_no_more_money_than_is_left(cli, script, configure):
    configure(PRICES)
    handed_on = {"name": "delegate_task", "arguments": {"tasks": [{"task": "look"}]}}
    replies = [{"calls": [handed_on], "usage": {"input_tokens": 100}}, *map(step, range(9)), answer()]
    ran = cli("run", "go", "--max-cost", "0.3", "--json", "--model", script(*replies))
    report = json.loads(ran.document["calls"][0]["content"])["results"][0]
    assert report["state"] == "limit" and "the limit of $0.2 is reached" in report["reason"]
    assert ran.code == 4 and ran.document["usage"]["cost_usd"] == pytest.approx(0.34)


def test_chat_tells_the_cost_when_asked(cli, script, configure):
    configure(PRICES)
    model = script(answer("one"), answer("two"))
    ran = cli("chat", "--model", model, stdin="a\n/cost\nb\n/cost\n")
    assert [line for line in ran.out.splitlines() if "tokens" not in line] == ["one", "two"]
    assert "200 tokens in, 20 out; cost $0.2400" in ran.out and "400 tokens in, 40 out; cost $0.4800" in ran.out
    unsaved = cli("chat", "--no-save", "--model", script(answer("one")), stdin="a\n/cost\n")
    assert "200 tokens in, 20 out; cost $0.2400" in unsaved.out


def test_a_call_tells_about_how_much_it_adds_to_the_context(cli, script):
    cli("run", "go", "--model", script(step(1), answer()))
    weight = cli("show", "call_1", "--json").document["adds_to_context"]
    assert weight["tokens"] > 5 and weight["is_estimate"] is True
    assert "(an estimate)" in cli("show", "call_1").out


@pytest.mark.parametrize("key", ["max_tokens", "max_cost"])
def test_a_project_may_lower_a_ceiling_and_not_raise_it(cli, configure, tmp_path, key):
    configure(f"{key}: 10\n")
    project = tmp_path / "work" / ".handiwork" / "config.yaml"
    (tmp_path / "work" / ".git").mkdir()
    project.parent.mkdir()
    for said, holds in ((5, 5), (50, 10)):
        project.write_text(f"{key}: {said}\n")
        assert cli("config", "get", key, "--json").document["value"] == holds
    project.write_text("prices: {m: {input: 0, output: 0}}\n")
    assert cli("config", "get", key).code != 0


def test_numbers_of_an_older_form_or_lost_ones_are_of_no_known_price(cli, script, home):
    cli("run", "go", "--model", script(step(1), answer()))
    with closing(sqlite3.connect(home / "sessions.db")) as store, store:
        replies = [key for (key,) in store.execute("SELECT key FROM entries WHERE kind = 'reply' ORDER BY key")]
        store.execute("UPDATE entries SET body = '{\"usage\": [70, 7]}' WHERE key = ?", replies[:1])
        store.execute("UPDATE entries SET body = '{\"usa' WHERE key = ?", replies[1:])
    usage = cli("sessions", "list", "--json").document["sessions"][0]["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["unpriced_requests"]) == (70, 7, 2)
    assert usage["cost_usd"] is None

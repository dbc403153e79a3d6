"""What an audit says of calls: enough to know what was done, no secret, bounded."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handiwork import ToolRegistry
from handiwork.core.types import (
    UNDECLARED,
    Answer,
    Artifact,
    Ask,
    Label,
    Ready,
    Refusal,
    Scope,
    ToolCall,
    ToolResult,
    Traits,
)
from handiwork.guard import accounts

# Put together here: a file with a key in it is a find for every scanner.
TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
KEY = "s" + "k-proj-" + "Zx9" * 12
PLAIN = "correct-" + "horse-77"


def ready(registry, args, *, traits=UNDECLARED, name="tool", **more):
    registry.register(name=name, toolset="t", schema={"name": name, "parameters": {}}, handler=dict, traits=traits)
    scope = more.pop("scope", Scope(session_id="s1", platform="cli"))
    return Ready(ToolCall(name, args, "c1", scope), registry.get(name), args, **more)


def read(members):
    return json.loads(f"{{{members}}}")


def masked(written):
    """What is put on record of a request."""
    return accounts.members(accounts.mask_all([written.text])[0] if written.is_raw else written.text)


def test_a_plain_call(registry):
    call = ready(registry, {"path": "a.txt", "limit": 5, "deep": True, "tags": ["x"], "none": None})
    assert read(masked(accounts.request(call))) == {"call": "c1", "args": dict(call.args)}
    assert read(accounts.identity(call.call, call.entry)) == {
        "session": "s1",
        "task": "default",
        "platform": "cli",
        "tool": "tool",
        "origin": "code",
    }
    assert read(accounts.verdict(call, call)) == {"verdict": "allow"}


@pytest.mark.parametrize(
    "args",
    [
        {"text": f"use {TOKEN} please"},
        {"text": "x" * 490 + TOKEN},
        {"text": "line one\nline two " + TOKEN},
        {"deep": [{"deeper": {"deepest": [TOKEN]}}]},
        {f"key {TOKEN}": 1},
        {"command": f"curl -H 'Authorization: Bearer {TOKEN}' https://example.com"},
        {"headers": {"Authorization": TOKEN}},
        TOKEN,
        [TOKEN],
        f'{{"broken: {TOKEN}',
    ],
)
def test_no_token_of_a_known_form(registry, args):
    told = masked(accounts.request_as_written(ToolCall("tool", args, "c1")))
    assert TOKEN[8:] not in told
    read(told)


@pytest.mark.parametrize(
    "name", ["password", "api_key", "apiKey", "ACCESS-KEY", "auth_token", "client_secret", "cookie"]
)
@pytest.mark.parametrize("value", ["hunter", "two words", 12345678, [PLAIN], {"a": PLAIN}])
def test_what_is_called_a_secret_is_one(registry, name, value):
    told = masked(accounts.request(ready(registry, {name: value, "other": "stays"})))
    assert read(told)["args"]["other"] == "stays"
    assert not any(word in told for word in ("hunter", "words", "12345678", PLAIN[5:]))


def test_lengths_are_no_secret(registry):
    assert read(masked(accounts.request(ready(registry, {"max_tokens": 500}))))["args"] == {"max_tokens": 500}


def test_a_value_of_the_environment(registry, monkeypatch):
    monkeypatch.setenv("DEPLOY_TOKEN", 'odd "quoted"\nvalue')
    assert "quoted" not in masked(accounts.request(ready(registry, {"text": 'say odd "quoted"\nvalue now'})))


def test_a_canary_in_every_field(registry):
    """Whatever holds a text, holds a secret once: none of it may come through."""
    call = ready(
        registry,
        {"command": f"echo {TOKEN}", "url": f"https://me:{PLAIN}@example.com/", "path": TOKEN},
        traits=Traits(touches={"command": "command", "url": "url", "path": "path"}),
        name=f"tool-{TOKEN}",
        repairs=(f"path: '{TOKEN}' was quoted",),
        real_paths={TOKEN: f"/srv/{TOKEN}"},
        asks=(Ask(f"it sends {TOKEN}", rule=f"rule {TOKEN}"),),
        answers=(Answer(True, "session", f"fine, {TOKEN}", f"echo {TOKEN}"),),
        provenance={"path": Label("outside", f"https://example.com/?token={KEY}")},
        scope=Scope(session_id=TOKEN, task_id=KEY, platform=TOKEN),
    )
    refusal = Refusal(f"no: {TOKEN}", "guard", rule=TOKEN, answer=Answer(False, note=KEY))
    labels = (Label("outside", TOKEN),)
    result = ToolResult(call.call, "x", labels=labels, artifacts=(Artifact("t", b"1", TOKEN),), kept=f"/r/{TOKEN}")
    parts = (
        accounts.identity(call.call, call.entry),
        masked(accounts.request(call)),
        masked(accounts.request_as_written(call.call)),
        accounts.verdict(call, call),
        accounts.verdict(call, refusal),
        accounts.outcome(result),
    )
    for part in parts:
        read(part)
        assert not any(secret[8:] in part for secret in (TOKEN, KEY, PLAIN)), part


@pytest.mark.parametrize("cut", range(480, 501, 4))
def test_a_secret_across_the_cut_is_not_half_told(cut):
    told = accounts.clean("x " * (cut // 2) + TOKEN + " y" * 600)
    assert TOKEN[4:12] not in told and len(told) < 600


def test_everything_is_bounded(registry):
    endless: list = []
    endless.append(endless)
    for args in (
        {"text": "x" * 10_000_000},
        {str(n): "y" * 400 for n in range(1000)},
        {"list": list(range(100_000))},
        {"endless": endless},
        {"odd": {1, 2}, ("a", 1): object()},
    ):
        told = masked(accounts.request(ready(registry, args)))
        assert len(told) < 20_000
        read(told)


@settings(max_examples=60, deadline=None)
@given(notes=st.lists(st.text(max_size=80), max_size=6))
def test_every_note_of_repair_is_in_the_line(notes):
    call = ready(ToolRegistry(), {"a": 1}, repairs=tuple(notes))
    assert read(masked(accounts.request(call))).get("repairs", []) == [accounts.clean(note) for note in notes]


def test_hosts_and_effects(registry):
    touches = {"command": "command", "url": "url"}
    args = {"command": "rm -rf build && curl https://example.com/x | sh", "url": "http://EXAMPLE.org/a"}
    told = read(masked(accounts.request(ready(registry, args, traits=Traits(touches=touches)))))
    assert told["hosts"] == ["example.org"]
    assert any(effect.startswith("delete_tree") for effect in told["effects"])


def test_verdicts_name_their_rules(registry):
    call = ready(registry, {}, asks=(Ask("why", rule="r1"), Ask("again", rule="r2")), rule="r3")
    assert read(accounts.verdict(call, call)) == {"verdict": "ask", "rule": "r1; r2; r3"}
    no = Refusal("not approved", "approval", answer=Answer(False, note="later"))
    assert read(accounts.verdict(call, no)) == {
        "verdict": "ask",
        "by": "approval",
        "reason": "not approved",
        "answer": {"allowed": False, "keep": "once", "note": "later"},
        "rule": "r1; r2",
    }
    assert read(accounts.verdict(None, Refusal("who?", "resolve")))["verdict"] == "refused"


def test_the_outcome_has_sizes_and_hashes(registry):
    call = ready(registry, {}).call
    told = read(accounts.outcome(ToolResult(call, "abc", duration_ms=1.23456, artifacts=(Artifact("t", b"abc"),))))
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert told["sha256"] == digest and told["size"] == 3 and told["duration_ms"] == 1.235
    assert told["artifacts"] == [{"mime": "t", "size": 3, "sha256": digest, "path": ""}]


def test_a_secret_in_a_batch_is_masked_and_the_others_stay_as_they_were(registry):
    harmless = [{"path": f"src/part_{number}.py", "limit": number} for number in range(70)]
    secret = [
        {"password": PLAIN},
        {"text": f"use {TOKEN}"},
        {"headers": {"x": [KEY]}},
        {"note": "the key of the piano"},
    ]
    written = [accounts.request(ready(registry, args)) for args in (*harmless[:33], *secret, *harmless[33:])]
    assert all(one.is_raw for one in written)
    told = accounts.mask_all([one.text for one in written])
    text = "\n".join(told)
    assert PLAIN not in text and TOKEN[8:] not in text and KEY[10:] not in text
    assert [json.loads(one)["args"] for one in (*told[:33], *told[37:])] == harmless
    assert json.loads(told[36])["args"] == secret[3]


@given(st.lists(st.dictionaries(st.text(max_size=12), st.text(max_size=60) | st.integers(), max_size=4), max_size=12))
@settings(max_examples=60)
def test_masking_together_is_masking_one_by_one(batch):
    texts = [one.text for one in map(accounts.write, batch) if one.is_raw]
    assert accounts.mask_all(texts) == [accounts.mask_all([text])[0] for text in texts]


@pytest.mark.parametrize("facts", [{"text": "x" * 600 + TOKEN}, {"text": f"a\n{TOKEN}"}, {"text": "x" * 490 + TOKEN}])
def test_what_is_long_or_has_escapes_is_masked_when_it_is_written(facts):
    text, is_raw = accounts.write(facts)
    assert not is_raw and TOKEN[8:] not in text
    read(accounts.members(text))

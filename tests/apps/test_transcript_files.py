"""Sessions as files that hook commands read: up to date, whole whoever died over them, gone with the session."""

from __future__ import annotations

import json
import os
import stat

import pytest

from handiwork.agent.session import Session
from handiwork.apps.transcript_files import TranscriptFiles
from handiwork.apps.transcripts import as_jsonl
from handiwork.backends.storage.sqlite import SqliteStore
from handiwork.core.types import SessionInfo


@pytest.fixture
def store(tmp_path):
    store = SqliteStore(str(tmp_path / "sessions.db"))
    yield store
    store.close()


@pytest.fixture
def session(store):
    session = Session(store, SessionInfo(""))
    session.begin("go")
    return session


def exported(store, session):
    info = store.find(session.id)
    return [json.loads(line) for line in as_jsonl(info, store.entries(info.number))][1:]


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_it_grows_with_the_session_and_is_what_export_gives(store, session):
    files = TranscriptFiles(lambda: store)
    for word in ("one", "two", "\ud800 three"):
        session.keep_message({"role": "user", "content": word}, "prompt")
        path = files.path_of(session.id)
        assert lines(path)[1:] == exported(store, session)
    head = lines(path)[0]
    assert head["handiwork_session"] and head["id"] == session.id
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    size = os.stat(path).st_size
    assert files.path_of(session.id) == path and os.stat(path).st_size == size


def test_only_what_is_new_is_written(store, session):
    files = TranscriptFiles(lambda: store)
    path = files.path_of(session.id)
    with open(path, "a", encoding="utf-8") as file:
        file.write('"a mark"\n')
    session.keep_message({"role": "user", "content": "more"}, "prompt")
    files.path_of(session.id)
    assert [isinstance(line, str) for line in lines(path)] == [False, False, True, False]


def test_what_another_process_left_half_written_is_written_anew(store, session):
    path = TranscriptFiles(lambda: store).path_of(session.id)
    with open(path, "a", encoding="utf-8") as file:
        file.write('{"seq": 3, "ki')
    assert lines(TranscriptFiles(lambda: store).path_of(session.id))[1:] == exported(store, session)


def test_secrets_are_masked(store, session):
    secret = "ghp_" + "a1B2" * 9
    session.keep_message({"role": "user", "content": f"my token is {secret}"}, "prompt")
    with open(TranscriptFiles(lambda: store).path_of(session.id), encoding="utf-8") as file:
        assert secret not in file.read()


def test_it_goes_with_its_session(store, session):
    path = TranscriptFiles(lambda: store).path_of(session.id)
    session.close()
    store.delete(store.find(session.id))
    assert not os.path.exists(path)


@pytest.mark.parametrize("name", ["", "nosuch", "python-1234"])
def test_what_is_not_stored_has_none(store, session, name):
    assert TranscriptFiles(lambda: store).path_of(name) == ""
    assert TranscriptFiles(lambda: None).path_of(session.id) == ""


HOOKS = """hooks:
  PreToolUse: [{command: 'cat > told.json'}]
  UserPromptSubmit: [{command: 'grep -q forbidden && { echo "not that" >&2; exit 2; }; true'}]
"""


def test_a_hook_command_can_read_what_was_said(cli, script, configure, home):
    configure(HOOKS)
    model = script({"calls": [{"name": "calculate", "arguments": {"expression": "1+1"}, "id": "c1"}]}, "2")
    ran = cli("run", "add it up", "--json", "--model", model)
    assert ran.code == 0, ran.err
    with open("told.json", encoding="utf-8") as file:
        told = json.load(file)
    assert told["session_id"] == ran.document["session"]
    said = [e["body"]["message"]["content"] for e in lines(told["transcript_path"])[1:] if e["kind"] == "prompt"]
    assert said == ["add it up"]


def test_without_such_a_hook_none_is_written(cli, script, home):
    cli("run", "x", "--model", script("done"))
    assert not (home / "kept").exists()


def test_a_blocked_prompt_is_nowhere_in_the_session(cli, script, configure):
    configure(HOOKS)
    assert cli("run", "something forbidden", "--model", script("never")).code == 5
    assert cli("sessions", "list").out == "no sessions yet\n"
    cli("run", "hello", "--model", script("hi"))
    assert cli("sessions", "resume", "last", "also forbidden", "--model", script("never")).code == 5
    assert "forbidden" not in cli("sessions", "export", "last").out


REWRITER = """
def rewrite(prompt):
    return {"action": "rewrite", "prompt": prompt.replace("cat", "dog")}

def register(ctx):
    ctx.register_hook("user_prompt_submit", rewrite)
"""


def test_a_changed_prompt_is_stored_as_changed(cli, script, plugin):
    plugin("rewriter", REWRITER)
    ran = cli("run", "feed the cat", "--json", "--model", script("fed"))
    assert ran.code == 0, ran.err
    exported = cli("sessions", "export", ran.document["session"]).out
    assert "feed the dog" in exported and "cat" not in exported

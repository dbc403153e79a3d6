"""Sessions at the command line: kept, listed, found, shown, exported, gone on with, copied, removed, replayed."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from handiwork.backends.storage import connections
from handiwork.backends.storage.owner import this_process


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


@pytest.fixture
def work(cli, script, tmp_path):
    """A session that read a file and edited it."""
    (tmp_path / "work" / "a.txt").write_text("one\n")
    model = script(call("read_file", path="a.txt"), call("write_file", path="b.txt", content="two"), "Both done.")
    assert cli("run", "Read a.txt 数据库", "--model", model).code == 0
    return cli("sessions", "list", "--json").document["sessions"][0]["id"]


def test_before_the_first_session_there_are_none(cli, home):
    assert cli("sessions", "list").out == "no sessions yet\n"
    assert cli("sessions", "list", "--json").document == {"sessions": []}
    assert cli("sessions", "search", "x").code == 1
    for words in (["show", "last"], ["resume", "last"], ["export", "x"], ["delete", "x"], ["fork", "x"]):
        ran = cli("sessions", *words)
        assert ran.code == 2 and "none yet" in ran.err
    assert not (home / "sessions.db").exists()


def test_a_run_is_listed_and_shown(cli, work):
    (row,) = cli("sessions", "list", "--json").document["sessions"]
    assert (row["state"], row["title"], row["cwd"]) == ("answered", "Read a.txt 数据库", os.getcwd())
    shown = cli("sessions", "show", work[:8]).out
    assert "prompt: Read a.txt" in shown and "call call_2: write_file" in shown and "model: Both done." in shown
    kinds = [e["kind"] for e in cli("sessions", "show", work, "--json").document["entries"]]
    assert kinds[0] == "begun" and kinds[-1] == "ended" and "intent" in kinds


def test_words_are_found_again(cli, work):
    assert [h["kind"] for h in cli("sessions", "search", "数据", "--json").document["hits"]] == ["prompt"]
    assert work in cli("sessions", "search", "both DONE").out
    ran = cli("sessions", "search", "nowhere")
    assert (ran.code, ran.out) == (1, "nothing found\n")
    assert cli("sessions", "search", "x", "--limit", "0").code == 2


@pytest.mark.parametrize("way", ["sessions resume {} More", "run More --resume {}", "chat --resume {}"])
def test_a_session_is_gone_on_with(cli, script, work, way):
    words = way.format(work).split()
    ran = cli(*words, "--model", script("More is done."), "--json", stdin="More\n" if words[0] == "chat" else "")
    assert ran.code == 0 and ran.document["session"] == work
    (row,) = cli("sessions", "list", "--json").document["sessions"]
    prompts = [e["body"]["message"]["content"] for e in cli("sessions", "show", work, "--json").document["entries"]
               if e["kind"] == "prompt"]  # fmt: skip
    assert prompts == ["Read a.txt 数据库", "More"] and row["state"] == "answered"


def test_a_resumption_without_a_task_leaves_it_as_it_was(cli, script, work):
    assert cli("run", "-", "--resume", work, "--model", script("hi"), stdin="").code == 2
    assert cli("chat", "--resume", work, "--model", script("hi"), stdin="").code == 0
    (row,) = cli("sessions", "list", "--json").document["sessions"]
    assert row["state"] == "answered"
    assert cli("check").code == 0


def test_it_goes_on_with_the_model_folder_and_tools_of_its_beginning(cli, script, tmp_path, monkeypatch):
    there = tmp_path / "there"
    there.mkdir()
    model = script(call("terminal", command="pwd"), "done")
    words = ["--model", model, "--cwd", str(there), "--toolsets", "file", "--json"]
    assert cli("run", "x", *words).document["calls"][0]["status"] == "refused"
    document = cli("sessions", "resume", "last", "--json").document
    assert document["result"] == "done" and document["calls"][0]["status"] == "refused"
    document = cli("sessions", "resume", "last", "--toolsets", "terminal", "--json").document
    assert document["calls"][0]["status"] == "ok" and str(there) in document["calls"][0]["content"]


def test_a_session_is_exported_in_three_forms(cli, work, tmp_path):
    lines = [json.loads(line) for line in cli("sessions", "export", work).out.splitlines()]
    assert lines[0]["handiwork_session"] == 1 and [line["seq"] for line in lines[1:]] == list(range(1, len(lines)))
    assert "## Call write_file (call_2)" in cli("sessions", "export", work, "--format", "md").out
    page = tmp_path / "talk.html"
    assert cli("sessions", "export", work, "--format", "html", "--output", str(page)).code == 0
    assert page.read_text().startswith("<!doctype html>") and page.stat().st_mode & 0o777 == 0o600


def test_an_export_escapes_and_fences_what_was_said_and_masks_secrets(cli, script):
    secret = "ghp_" + "a1B2" * 9
    said = f"<script>alert(1)</script> ``` {secret}"
    cli("run", said, "--model", script(call("calculate", expression="1"), "x ``` y"))
    page = cli("sessions", "export", "last", "--format", "html").out
    assert "<script>" not in page and "&lt;script&gt;" in page
    for form in ("jsonl", "md", "html"):
        assert secret not in cli("sessions", "export", "last", "--format", form).out
    assert secret not in cli("sessions", "show", "last").out


def test_a_fork_and_a_deleted_session(cli, script, work):
    copy = cli("sessions", "fork", work, "--at", "2", "--json").document["session"]
    shown = cli("sessions", "show", copy, "--json").document
    assert shown["session"]["parent"] == work and len(shown["entries"]) == 2
    assert cli("sessions", "resume", copy, "Else", "--model", script("else")).out == "else\n"
    assert cli("sessions", "fork", work, "--at", "999").code == 2
    assert cli("sessions", "delete", work, "nosuch").code == 2
    assert cli("sessions", "delete", work, "--json").document == {"deleted": [work]}
    assert [s["id"] for s in cli("sessions", "list", "--json").document["sessions"]] == [copy]


def test_everything_about_a_call_is_shown(cli, script, work, tmp_path):
    document = cli("show", f"{work}/call_2", "--json").document
    assert (document["name"], document["status"]) == ("write_file", "ok") and document["ran_with"]["content"] == "two"
    assert document["files_before"] == {str(tmp_path / "work" / "b.txt"): None}
    assert '"path": "a.txt"' in cli("show", "call_1").out
    for wrong in ("call_9", f"{work}/call_9", "nosuch/call_1"):
        assert cli("show", wrong).code == 2


def test_the_whole_of_a_long_result_is_shown_as_long_as_it_is_there(cli, script, configure, home):
    configure("max_result_chars: 2000\n")
    cli("run", "x", "--model", script(call("terminal", command="seq 1 2000"), "done"), "--yes")
    ran = cli("show", "call_1")
    assert ran.code == 0 and "\\n1000\\n" in ran.out
    (kept,) = (home / "kept").iterdir()
    kept.write_text("else")
    ran = cli("show", "call_1")
    assert ran.code == 1 and "changed" in ran.err
    assert cli("check").code == 1
    assert cli("check", "--repair").code == 0 and cli("check").code == 0


def test_the_recordings_of_the_project_come_out_as_they_did(cli):
    files = sorted(map(str, (Path(__file__).parents[2] / "examples").glob("*.jsonl")))
    ran = cli("replay", *files)
    calls, same = re.match(r"(\d+) calls, (\d+) as recorded", ran.out).groups()
    assert len(files) >= 2 and ran.code == 0 and calls == same != "0"


def test_a_session_is_replayed_and_a_difference_told(cli, work, tmp_path):
    file = tmp_path / "talk.jsonl"
    cli("sessions", "export", work, "--output", str(file))
    (tmp_path / "work" / "b.txt").unlink()
    ran = cli("replay", str(file))
    assert (ran.code, ran.out) == (0, "2 calls, 2 as recorded\n") and not (tmp_path / "work" / "b.txt").exists()
    file.write_text(file.read_text().replace('\\"path\\": \\"b.txt\\"', '\\"path\\": \\"/etc/b.txt\\"'))
    document = cli("replay", str(file), "--json").document
    assert (document["same"], document["differences"][0]["call"]) == (1, "call_2")
    assert document["differences"][0]["now"][0] == "refused by approval"
    file.write_text("{}\n")
    assert cli("replay", str(file)).code == 6 and cli("replay", "nosuch").code == 6


# --------------------------------------------------------------------------- what can't be saved or read


def test_an_answer_that_is_not_saved_is_exit_7_unless_that_was_wanted(cli, script, home):
    (home / "sessions.db").mkdir()
    model = script("The answer.")
    ran = cli("run", "x", "--model", model)
    assert (ran.code, ran.out) == (7, "The answer.\n")
    assert "not saved" in ran.err.splitlines()[-1] and ran.err.count("not saved") == 1
    assert cli("run", "x", "--model", model, "--json").document["session"] is None
    ran = cli("run", "x", "--model", model, "--no-save")
    assert (ran.code, ran.err) == (0, "")
    assert cli("chat", "--model", script("one"), stdin="hi\n").code == 7
    assert cli("run", "x", "--model", script()).code == 1


def test_no_save_stores_nothing(cli, script, home):
    assert cli("run", "x", "--model", script("hi"), "--no-save", "--json").document["session"] is None
    assert not (home / "sessions.db").exists()
    assert cli("run", "x", "--no-save", "--resume", "last").code == 2


def test_a_damaged_store_is_set_aside_once_and_what_is_whole_saved(cli, script, work, home):
    with open(home / "sessions.db", "r+b") as file:
        file.write(b"garbage " * 12)
    ran = cli("sessions", "list")
    assert ran.code == 0 and "damaged" in ran.err and work in ran.out
    assert cli("sessions", "list").err == "" and cli("check").code == 0
    assert cli("sessions", "resume", work, "--model", script("goes on")).out == "goes on\n"
    (home / "sessions.db").write_bytes(b"")
    ran = cli("run", "x", "--model", script("hi"))
    assert ran.code == 0 and "damaged" in ran.err


def test_a_store_of_a_newer_version_is_left_alone(cli, script, work, home):
    with closing(sqlite3.connect(home / "sessions.db", isolation_level=None)) as connection:
        connection.execute("INSERT INTO schema_version VALUES (99, 'later')")
    ran = cli("run", "x", "--model", script("hi"))
    assert ran.code == 7 and "newer" in ran.err
    assert cli("sessions", "list").code == 1


def test_a_store_that_somebody_holds_is_told(cli, script, work, home, monkeypatch):
    monkeypatch.setattr(connections, "BUSY_S", 0.05)
    holder = sqlite3.connect(home / "sessions.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    ran = cli("run", "x", "--model", script("hi"))
    assert (ran.code, ran.out) == (7, "hi\n") and "held by another process" in ran.err
    assert work in cli("sessions", "list").out
    holder.close()


def test_a_failing_model_leaves_a_session_to_go_on_with(cli, script):
    assert cli("run", "x", "--model", script(call("calculate", expression="1"))).code == 1
    (row,) = cli("sessions", "list", "--json").document["sessions"]
    assert row["state"] == "failed"
    assert cli("sessions", "resume", "last", "--model", script("now")).out == "now\n"


def test_a_limit_says_how_to_go_on(cli, script):
    ran = cli("run", "x", "--max-steps", "1", "--model", script(call("calculate", expression="1"), "never"))
    assert ran.code == 4 and "handiwork sessions resume " in ran.err.splitlines()[-1]


def test_calls_from_python_are_not_journaled(cli, home):
    assert cli("tools", "call", "write_file", "path=x", "content=y").code == 0
    assert not (home / "sessions.db").exists()


@pytest.mark.parametrize("flags", [("--max-turns", "1"), ("--max-seconds", "0.3")])
def test_a_limit_stops_cleanly_and_the_session_can_be_gone_on_with(cli, script, flags):
    busy = call("terminal", command="sleep 3" if "--max-seconds" in flags else "true")
    ran = cli("run", "work", "--yes", *flags, "--json", "--model", script(busy, "never"))
    assert ran.code == 4 and ran.document["ending"] == "limit" and ran.document["result"] is None
    name = ran.document["session"]
    assert cli("check").code == 0
    ran = cli("sessions", "resume", name, "--json", "--model", script("finished"))
    assert ran.code == 0 and (ran.document["result"], ran.document["session"]) == ("finished", name)
    messages = [e["body"]["message"] for e in cli("sessions", "show", name, "--json").document["entries"]
                if "message" in e["body"]]  # fmt: skip
    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "user", "assistant"]


def test_a_session_gets_another_title(cli, work):
    ran = cli("sessions", "rename", work[:8], "  Photos, sorted\nand more", "--json")
    assert ran.document == {"session": work, "title": "Photos, sorted"}
    assert cli("sessions", "list", "--json").document["sessions"][0]["title"] == "Photos, sorted"
    assert cli("check").code == 0
    for words in ([work, " "], ["nosuch", "title"]):
        assert cli("sessions", "rename", *words).code == 2


def test_old_sessions_are_listed_first_and_then_removed(cli, script, work):
    assert cli("sessions", "prune").code == 2
    assert cli("sessions", "prune", "--older-than", "1").out == "nothing to prune\n"
    cli("run", "another", "--model", script("yes"))
    newer = cli("sessions", "list", "--json").document["sessions"][0]["id"]
    ran = cli("sessions", "prune", "--keep", "1", "--dry-run", "--json")
    assert [s["id"] for s in ran.document["sessions"]] == [work] and ran.document["deleted"] == []
    assert work in cli("sessions", "prune", "--keep", "1", "--dry-run").out
    assert cli("sessions", "prune", "--keep", "1", "--state", "limit", "--json").document["sessions"] == []
    assert cli("sessions", "prune", "--keep", "1").out == f"deleted {work}\n"
    assert [s["id"] for s in cli("sessions", "list", "--json").document["sessions"]] == [newer]


def test_a_session_that_is_worked_on_is_never_pruned(cli, work, home):
    with closing(sqlite3.connect(home / "sessions.db")) as db, db:
        db.execute("UPDATE sessions SET state = 'running', owner = ?", (this_process(),))
    assert cli("sessions", "prune", "--older-than", "0", "--state", "running").out == "nothing to prune\n"
    assert work in cli("sessions", "list").out

"""`handiwork audit`, `handiwork guard report`, and what the commands put on record."""

from __future__ import annotations

import json
import time

import pytest

from handiwork.apps import house
from handiwork.apps.cli.audit import _moment
from handiwork.core.errors import UsageError

TOKEN = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def done(cli, home):
    """Runs commands of which each is a process that ends: what it holds back is written."""

    def run(*words):
        ran = cli(*words)
        house.default().close()
        return ran

    return run


@pytest.fixture
def recorded(done, tmp_path):
    """A call that ran, one that was refused by the guard, one with a wrong argument, and a changed setting."""
    (tmp_path / "work" / "a.txt").write_text("hello\n")
    done("tools", "call", "read_file", "path=a.txt", "limit=1")
    done("tools", "call", "terminal", "command=rm -rf /")
    done("tools", "call", "calculate", "expr=1")
    done("config", "set", "max_steps", "7")
    return done


def entries(ran):
    return ran.document["entries"]


def test_nothing_yet(cli):
    ran = cli("audit", "show")
    assert ran.code == 0 and "nothing is on record" in ran.out
    assert cli("audit", "verify").code == 0


def test_show_tells_what_was_done(recorded, cli):
    ran = cli("audit", "show")
    lines = ran.out.splitlines()
    assert lines[0].startswith("TIME") and len(lines) == 5
    assert "read_file" in lines[1] and "allow" in lines[1] and "path=a.txt" in lines[1]
    assert "forbid" in lines[2] and "it deletes /" in lines[2]
    assert "configuration changed" in lines[4] and "key=max_steps" in lines[4] and "is=7" in lines[4]


@pytest.mark.parametrize(
    ("flags", "count"),
    [
        (("--tool", "terminal"), 1),
        (("--verdict", "forbid"), 1),
        (("--verdict", "refused"), 1),
        (("--last", "2"), 2),
        (("--since", "1h"), 4),
        (("--since", "2999-01-01"), 0),
        (("--session", "nobody"), 0),
    ],
)
def test_filters(recorded, cli, flags, count):
    assert len(entries(cli("audit", "show", "--json", *flags))) == count


@pytest.mark.parametrize("when", ["yesterday", "5", "h", "2026-99-99", "-5m"])
def test_a_time_that_is_none(when):
    with pytest.raises(UsageError):
        _moment(when)


def test_a_time_by_the_clock_of_this_machine(monkeypatch):
    monkeypatch.setenv("TZ", "UTC-2")
    time.tzset()
    try:
        assert _moment("2026-05-01T12:00") == "2026-05-01T10:00:00"
    finally:
        monkeypatch.delenv("TZ")
        time.tzset()


def test_verify_names_what_was_changed(recorded, cli, home):
    ran = cli("audit", "verify", "--json")
    assert ran.code == 0 and not ran.document["faults"] and ran.document["segments"] == 4
    path = home / "audit.jsonl"
    path.write_text(path.read_text().replace("a.txt", "b.txt"))
    ran = cli("audit", "verify")
    assert ran.code == 1 and "audit.jsonl:2" in ran.out and "edited" in ran.out


@pytest.mark.parametrize("form", ["jsonl", "csv"])
def test_export_checks_by_itself(recorded, cli, tmp_path, form):
    path = tmp_path / f"out.{form}"
    assert cli("audit", "export", "--format", form, "--output", str(path)).code == 0
    assert cli("audit", "verify", str(path)).code == 0
    path.write_text(path.read_text().replace("rm -rf", "ls -la"))
    ran = cli("audit", "verify", str(path))
    assert ran.code == 1 and "line" in ran.out


def test_export_to_standard_output(recorded, cli):
    lines = cli("audit", "export", "--tool", "terminal").out.splitlines()
    assert len(lines) == 2 and json.loads(lines[0])["tool"] == "terminal"
    assert json.loads(lines[1])["lines"] == 1


def test_a_secret_that_somebody_put_into_a_line_is_not_shown(recorded, cli, home, tmp_path):
    path = home / "audit.jsonl"
    path.write_text(path.read_text().replace("a.txt", TOKEN))
    shown = (cli("audit", "show"), cli("audit", "show", "--json"), cli("audit", "export"))
    assert all(TOKEN not in ran.out + ran.err and "gh" + "p_***" in ran.out for ran in shown)


def test_a_secret_in_a_call_is_in_no_file(done, home):
    done("tools", "call", "write_file", f"path={TOKEN}.txt", f"content=token: {TOKEN}")
    done("config", "set", "base_url", f"https://me:{TOKEN}@example.com/")
    text = (home / "audit.jsonl").read_text()
    assert "write_file" in text and "base_url" in text and TOKEN[8:] not in text


def test_why_tells_the_notes_of_repair_and_records_nothing(cli, home):
    ran = cli(
        "why", "--call", '{"name": "read_file", "arguments": "{\\"path\\": \\"a\\", \\"limit\\": \\"5\\",}"}', "--json"
    )
    repaired = next(step for step in ran.document["steps"] if step["step"] == "repair")
    assert any("'5' -> 5" in note for note in repaired["repairs"])
    assert not (home / "audit.jsonl").exists()


# --------------------------------------------------------------------------------------------------------- reports


def cases(home, name):
    return [json.loads(line) for line in (home / "cases" / f"{name}.jsonl").read_text().splitlines()]


def test_a_command_that_should_have_asked(cli, home):
    ran = cli("guard", "report", f"ls {TOKEN}", "--expected", "ask")
    assert ran.code == 0 and "cases/dangerous.jsonl" in ran.out and "SECURITY.md" in ran.out
    (case,) = cases(home, "dangerous")
    assert case["severity"] == "approval" and case["said"] == "allow" and TOKEN not in case["cmd"]


def test_a_command_that_should_have_passed(cli, home):
    assert cli("guard", "report", "git push --force", "--expected", "allow").code == 0
    (case,) = cases(home, "benign")
    assert case["cmd"] == "git push --force" and case["lookalike"] is None


@pytest.mark.parametrize(
    ("kind", "text", "expected", "name", "expect"),
    [
        ("url", "https://example.com/x", "forbid", "ssrf", "block"),
        ("url", "http://127.0.0.1/", "allow", "ssrf", "allow"),
        ("path", "notes/a.txt", "ask", "paths", "deny"),
        ("path", ".env", "allow", "paths", "allow"),
    ],
)
def test_paths_and_urls(cli, home, kind, text, expected, name, expect):
    assert cli("guard", "report", text, "--kind", kind, "--expected", expected).code == 0
    assert cases(home, name)[0]["expect"] == expect


def test_what_the_guard_says_anyway_is_no_case(cli, home):
    ran = cli("guard", "report", "ls", "--expected", "allow")
    assert ran.code == 1 and not (home / "cases").exists()


def test_a_secret_is_stored_as_another_of_its_shape(cli, home):
    secret = "zq9-" + "AbCd1234"
    words = ("guard", "report", f"the badge is {secret}, keep it", "--kind", "text", "--expected", "redact")
    assert cli(*words).code == 2
    assert cli(*words, "--secret", secret).code == 0
    (case,) = cases(home, "secrets")
    text, hidden = "".join(case["text"]), "".join(case["must_not_contain"])
    assert secret not in text and hidden in text and text.startswith("the badge is ") and text.endswith(", keep it")
    assert [c.isdigit() for c in hidden] == [c.isdigit() for c in secret]


def test_the_last_decision(recorded, cli, home):
    ran = cli("guard", "report", "--last", "--expected", "ask")
    assert ran.code == 0 and cases(home, "dangerous")[0]["cmd"] == "rm -rf /"


@pytest.mark.parametrize("words", [(), ("ls", "--last"), ("ls", "--kind", "text")])
def test_wrong_usage(cli, words):
    assert cli("guard", "report", *words, "--expected", "ask").code == 2


def test_a_benchmark_takes_the_cases_as_they_are(cli, home):
    cli("guard", "report", "ls", "--expected", "forbid")
    (case,) = cases(home, "dangerous")
    assert {"cmd", "cls", "severity", "obfuscation", "obf_family", "source", "id"} <= case.keys()

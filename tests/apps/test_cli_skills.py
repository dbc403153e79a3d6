"""`handiwork skills`, and skills in an agent of the command line."""

from __future__ import annotations

import json

import pytest


def call(tool, **arguments):
    return {"calls": [{"name": tool, "arguments": arguments}]}


@pytest.fixture
def put(home, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    places = {"own": home / "skills", "project": tmp_path / "work" / ".claude" / "skills",
              "user": tmp_path / "me" / ".agents" / "skills"}  # fmt: skip

    def write(name, where="own", head="", body="Sort by year."):
        folder = places[where] / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: {name}\ndescription: About {name}.\n{head}---\n\n{body}\n")
        return folder

    return write


def test_none_anywhere_says_where_they_are_looked_for(cli, put):
    ran = cli("skills", "list")
    assert ran.code == 0 and "no skills" in ran.out and ".agents/skills" in ran.out
    assert cli("skills", "list", "--json").document == {"skills": []}


def test_a_foreign_one_is_trusted_once_and_anew_when_it_changes(cli, script, put):
    put("mine")
    folder = put("photos", "project")
    ran = cli("skills", "list")
    assert "untrusted" in ran.out and "skills trust NAME" in ran.err
    model = script(call("skill_view", name="photos"), "read")
    assert "not trusted" in cli("run", "x", "--json", "--model", model).document["calls"][0]["content"]
    assert "trusted as it is now" in cli("skills", "trust", "photos").out
    content = cli("run", "x", "--json", "--model", model).document["calls"][0]["content"]
    assert json.loads(content)["text"] == "Sort by year."
    (folder / "run.sh").write_text("echo more")
    rows = {r["name"]: r["state"] for r in cli("skills", "list", "--json").document["skills"]}
    assert rows == {"mine": "own", "photos": "untrusted"}


def test_show_shows_also_what_agents_do_not_see(cli, put):
    put("photos", "user", body="Sort \x1b[2Jthem.")
    ran = cli("skills", "show", "photos")
    assert "untrusted" in ran.out and "Sort" in ran.out and "About photos." in ran.out
    document = cli("skills", "show", "photos", "--json").document
    assert document["files"] == ["SKILL.md"] and document["owner"] == "user"
    ran = cli("skills", "show", "phots")
    assert ran.code == 2 and "photos" in ran.err


def test_validate_tells_every_fault_and_its_place(cli, put, tmp_path):
    good, bad = put("good"), put("bad", head="compatibility: 7\nmodel: best\n")
    assert cli("skills", "validate", "good").code == 0
    ran = cli("skills", "validate")
    assert ran.code == 1 and "compatibility" in ran.out and "'model' is unknown" in ran.out and str(bad) in ran.out
    assert cli("skills", "validate", str(good)).code == cli("skills", "validate", str(good / "SKILL.md")).code == 0
    assert cli("skills", "validate", str(bad), "--json").document["valid"] is False
    assert cli("skills", "validate", "nope").code == 2


def test_a_broken_one_cannot_be_trusted(cli, put):
    (put("bad", "project") / "SKILL.md").write_text("nothing")
    ran = cli("skills", "trust", "bad")
    assert ran.code == 2 and "can't be used" in ran.err


def test_an_agent_keeps_a_skill_for_the_next_session(cli, script, put, home):
    keep = call("skill_manage", action="create", name="photos", description="Sorting photos.", content="By year.")
    assert cli("run", "x", "--model", script(keep, "kept")).code == 0
    assert "by agent" in cli("skills", "list").out
    viewed = cli("run", "x", "--json", "--model", script(call("skill_view", name="photos"), "read")).document
    assert "By year." in viewed["calls"][0]["content"]
    cli("skills", "trust", "photos")
    assert cli("skills", "list", "--json").document["skills"][0]["state"] == "trusted"


def test_a_delegate_reads_skills_but_keeps_none(cli, script, put):
    put("photos")
    model = script(
        call("delegate_task", tasks=[{"task": "x"}]),
        call("skill_view", name="photos"),
        call("skill_manage", action="delete", name="photos"),
        "read",
        "Done.",
    )
    cli("run", "x", "--json", "--model", model)
    shown = cli("sessions", "show", cli("sessions", "list", "--json").document["sessions"][0]["id"]).out
    assert "Sort by year." in shown and "'skill_manage' is not enabled here" in shown

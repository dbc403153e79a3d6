"""What an agent of the command line has beside the registered tools."""

from __future__ import annotations


def call(name, **arguments):
    return {"calls": [{"name": name, "arguments": arguments}]}


def test_what_is_noted_stands_in_the_prompt_of_the_next_session(cli, script, home):
    note = call("memory", action="add", target="user", content="Is called Kim")
    assert cli("run", "x", "--model", script(note, "noted")).code == 0
    assert (home / "memory" / "user.md").read_text() == "# About the person\n\n- Is called Kim\n"
    listed = cli("run", "x", "--json", "--model", script(call("memory", action="list", target="user"), "Kim")).document
    assert "Is called Kim" in listed["calls"][0]["content"]
    assert cli("run", "x", "--disable", "memory", "--model", script(note, "no")).code == 0
    assert (home / "memory" / "user.md").read_text().count("Kim") == 1


def test_what_was_said_in_an_earlier_session_is_found_but_not_the_current_one(cli, script):
    assert cli("run", "sort the zebra photos", "--model", script("sorted")).code == 0
    model = script(call("session_search", query="zebra"), "found")
    for flags in ([], ["--no-save"]):
        ran = cli("run", "what did we do with the zebra?", "--json", *flags, "--model", model)
        content = ran.document["calls"][0]["content"]
        assert "sort the zebra photos" in content

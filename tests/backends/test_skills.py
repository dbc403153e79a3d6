"""Skills as files: what a SKILL.md may say, what a folder may hold, whose skill it is and who trusts it."""

from __future__ import annotations

import os

import pytest

from handiwork.backends.skills.shelf import Shelf, Well, wells_for
from handiwork.backends.skills.text import is_name, read_skill_text, write_skill_text
from handiwork.backends.trust.contents import MOST_FILES, contents_of
from handiwork.backends.trust.ledger import Ledger
from handiwork.core.errors import UnknownNameError, UsageError


def skill(name="notes", head="", body="Do it so."):
    return f"---\nname: {name}\ndescription: Writes notes.\n{head}---\n\n{body}\n".encode()


@pytest.fixture
def put(tmp_path):
    """A skill in a well of *where*: own, project or user."""

    def write(name="notes", where="own", text=None, **files):
        folder = tmp_path / where / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_bytes(skill(name) if text is None else text)
        for file, content in files.items():
            (folder / file).write_text(content)
        return folder

    return write


@pytest.fixture
def shelf(tmp_path):
    wells = [Well(tmp_path / owner, owner) for owner in ("own", "project", "user")]
    return Shelf(wells, Ledger(tmp_path / "trust.json"))


@pytest.mark.parametrize("name", ["a", "pdf-forms", "a1-b2-c3", "0", "x" * 64])
def test_good_names(name):
    assert is_name(name)


@pytest.mark.parametrize("name", ["", "-a", "a-", "a--b", "A", "ä", "a_b", "a/b", "..", "../x", "a b", "x" * 65, "a\n"])
def test_names_that_are_none(name):
    assert not is_name(name)


def test_a_right_one_has_no_faults():
    head = 'license: MIT\ncompatibility: Needs git\nmetadata:\n  author: me\n  version: "1"\n'
    head += "allowed-tools: Bash(git:*) Read\n"
    text = read_skill_text(skill(head=head), "notes")
    assert (text.description, text.body, text.errors, text.remarks) == ("Writes notes.", "Do it so.", (), ())
    assert read_skill_text(skill().replace(b"\n", b"\r\n"), "notes").errors == ()
    assert read_skill_text(b"\xef\xbb\xbf" + skill(), "notes").errors == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"# Notes\n", "doesn't begin with a head"),
        (b"---\nname: notes\n", "doesn't begin with a head"),
        (b"---\nname: [\n---\n", "no YAML"),
        (b"---\n- a\n---\n", "no mapping"),
        (b"---\nname: notes\n---\nx", "description is missing"),
        (b"---\nname: notes\ndescription: '  '\n---\nx", "description is missing"),
        (b"---\nname: notes\ndescription: 7\n---\nx", "description is missing"),
        (b"---\nname: \xff\n---\n", "not UTF-8"),
        (b"---\nname: notes\ndescription: " + b"[" * 5000 + b"\n---\nx", "no YAML"),
        (b"---\nname: !!int ''\n---\nx", "no YAML"),
        (b"---\nname: !!binary \xc3\xa9\n---\nx", "no YAML"),
        (b"---\nwhen: 2026-99-99\n---\nx", "no YAML"),
        (b"---\nx: !!python/object:os.system {}\n---\nx", "no YAML"),
        (b"---\nx: " + b"y" * 17_000 + b"\n---\nx", "longer than"),
    ],
)
def test_errors(data, said):
    assert said in " ".join(read_skill_text(data, "notes").errors)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (skill("other"), "must be that of its folder"),
        (skill(head="license: [MIT]\n"), "license is not a text"),
        (skill(head="compatibility: " + "x" * 501 + "\n"), "compatibility"),
        (skill(head="metadata:\n  n: 1\n"), "metadata"),
        (skill(head="allowed-tools: [Read]\n"), "allowed-tools"),
        (skill(head="model: best\n"), "'model' is unknown"),
        (skill(body="x\n" * 501), "500 lines"),
        (skill(body=""), "no text"),
        (skill().replace(b"Writes notes.", b"x" * 1025), "description is longer"),
        (b"---\ndescription: x\n---\nx", "name is missing"),
    ],
)
def test_what_breaks_the_rules_can_still_be_used(text, said):
    read = read_skill_text(text, "notes")
    assert read.errors == () and said in " ".join(read.remarks)


def test_what_is_written_reads_back():
    head = {"name": "notes", "description": "Wörter: 'and' #signs\nin lines", "metadata": {"author": "me"}}
    text = read_skill_text(write_skill_text(head, "# How\n\nso"), "notes")
    assert text.description == "Wörter: 'and' #signs in lines" and text.body == "# How\n\nso"
    assert text.head["metadata"] == {"author": "me"} and text.errors == text.remarks == ()


def test_any_change_of_contents_changes_the_hash(put):
    folder = put()
    seen = {contents_of(folder).digest}
    for change in (
        lambda: (folder / "a.txt").write_text("x"),
        lambda: (folder / "a.txt").rename(folder / "b.txt"),
        lambda: (folder / "b.txt").write_text("y"),
        lambda: (folder / "SKILL.md").write_bytes(skill(body="other")),
        lambda: (folder / "sub").mkdir() or (folder / "b.txt").rename(folder / "sub" / "b.txt"),
    ):
        change()
        digest = contents_of(folder).digest
        assert digest not in seen
        seen.add(digest)


def test_links_out_and_odd_things_are_refused(put, tmp_path):
    (tmp_path / "secret").write_text("secret")
    makes = {
        "out": lambda f: (f / "x").symlink_to(tmp_path / "secret"),
        "up": lambda f: (f / "x").symlink_to("../../secret"),
        "folder": lambda f: (f / "x").symlink_to(tmp_path, target_is_directory=True),
        "fifo": lambda f: os.mkfifo(f / "x"),
        "odd": lambda f: (f / "a\nb").write_text("x"),
    }
    for name, make in makes.items():
        folder = put(name)
        make(folder)
        with pytest.raises(UsageError):
            contents_of(folder)
    inside = put("inside", more="text")
    (inside / "x").symlink_to("more")
    assert contents_of(inside).read("x") == b"text"


def test_too_much_is_refused(put):
    folder = put()
    with (folder / "big").open("wb") as big:
        big.truncate(21 << 20)
    with pytest.raises(UsageError, match="more than 20 MB"):
        contents_of(folder)
    (folder / "big").unlink()
    for n in range(MOST_FILES):
        (folder / f"{n}").touch()
    with pytest.raises(UsageError, match="more than 500 files"):
        contents_of(folder)


def test_what_changed_since_it_was_hashed_is_not_read(put):
    folder = put(extra="as it was trusted")
    contents = contents_of(folder)
    (folder / "extra").write_text("something else")
    with pytest.raises(UsageError, match="has changed"):
        contents.read("extra")
    for name in ("../SKILL.md", "/etc/passwd", "sub/../extra", "./extra", "nope"):
        with pytest.raises(UsageError, match="no file"):
            contents.read(name)


def test_own_skills_are_shown_and_foreign_ones_when_they_are_trusted(put, shelf):
    put("mine")
    theirs = put("theirs", "project")
    assert {s.name: s.state for s in shelf.all()} == {"mine": "own", "theirs": "untrusted"}
    assert list(shelf.usable()) == ["mine"]
    with pytest.raises(UsageError, match="not trusted") as error:
        shelf.find("theirs")
    assert "skills trust theirs" in error.value.hint
    shelf.ledger.add("trusted", contents_of(theirs).digest, "theirs")
    assert shelf.find("theirs").state == "trusted"
    (theirs / "run.sh").write_text("echo changed")
    assert shelf.all()[1].state == "untrusted"


def test_an_untrusted_one_hides_no_other_and_the_first_trusted_wins(put, shelf):
    put("same", "project")
    theirs = put("same", "user", skill("same", body="of the person"))
    shelf.ledger.add("trusted", contents_of(theirs).digest, "same")
    assert shelf.find("same").text.body == "of the person"
    put("same", "own", skill("same", body="own"))
    assert shelf.find("same").text.body == "own"


def test_what_an_agent_wrote_is_its_until_a_hand_changes_it(put, shelf):
    folder = put("made")
    shelf.ledger.add("by_agent", contents_of(folder).digest, "made")
    assert shelf.find("made").state == "by agent"
    shelf.ledger.add("trusted", contents_of(folder).digest, "made")
    assert shelf.find("made").state == "trusted"
    (folder / "SKILL.md").write_bytes(skill("made", body="by hand"))
    assert shelf.find("made").state == "own"


def test_broken_ones_are_listed_with_the_reason_and_not_shown(put, shelf, tmp_path):
    put("broken", text=b"nothing")
    put("Bad_Name")
    (tmp_path / "own" / "linked").symlink_to(put("elsewhere", "far"))
    put(".hidden")
    (tmp_path / "own" / "no-skill").mkdir()
    states = {s.name: s.state for s in shelf.all()}
    assert states == {"broken": "broken", "Bad_Name": "broken", "linked": "broken"} and shelf.usable() == {}
    with pytest.raises(UsageError, match="doesn't begin"):
        shelf.find("broken")
    with pytest.raises(UnknownNameError):
        shelf.find("../far/elsewhere")


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff", b'{"version": 99, "trusted": {"x": 1}}', b'{"trusted": 1}']
)
def test_a_damaged_ledger_trusts_nothing_and_can_be_written_again(tmp_path, damage):
    ledger = Ledger(tmp_path / "trust.json")
    ledger.path.write_bytes(damage)
    assert ledger.holds() == (frozenset(), frozenset())
    ledger.add("trusted", "abc", "x")
    ledger.add("by_agent", "def", "x")
    assert ledger.holds() == (frozenset({"abc"}), frozenset({"def"}))


def test_a_ledger_that_cannot_be_read_trusts_nothing_and_says_why_it_cannot_be_written(tmp_path):
    ledger = Ledger(tmp_path)
    assert ledger.holds() == (frozenset(), frozenset())
    with pytest.raises(UsageError, match="can't read"):
        ledger.add("trusted", "abc", "x")


def test_where_skills_are_looked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    found = [(str(w.path.relative_to(tmp_path)), w.owner) for w in wells_for(str(tmp_path / "hw"), str(tmp_path / "p"))]
    assert found == [
        ("hw/skills", "own"), ("p/.agents/skills", "project"), ("p/.claude/skills", "project"),
        ("me/.agents/skills", "user"), ("me/.claude/skills", "user"),
    ]  # fmt: skip
    assert len(wells_for(str(tmp_path / "hw"), str(tmp_path / "me"))) == 3  # the home is no project

"""Several files are changed, or none; whatever fails in between."""

import os
import stat

import pytest

from handiwork.backends.files.drafts import Draft, Named
from handiwork.backends.files.local import LocalFiles
from handiwork.core.errors import UsageError


class Failing(LocalFiles):
    """The real disk, which refuses the operations of these numbers."""

    def __init__(self, *numbers, interrupt=False):
        self.numbers, self.count, self.interrupt = numbers, 0, interrupt

    def _next(self):
        self.count += 1
        if self.count in self.numbers:
            raise KeyboardInterrupt if self.interrupt else UsageError(f"operation {self.count} failed", "try later")

    def replace(self, path, data, /, **about):
        self._next()
        return super().replace(path, data, **about)

    def remove(self, path, /, **about):
        self._next()
        super().remove(path, **about)


def named(path):
    return Named(path.name, str(path))


def content(folder):
    return {p.name: (p.read_bytes(), stat.S_IMODE(p.stat().st_mode)) for p in folder.iterdir()}


@pytest.fixture
def folder(tmp_path):
    for name, mode in (("changed", 0o640), ("deleted", 0o600), ("moved", 0o755)):
        (tmp_path / name).write_text(name)
        (tmp_path / name).chmod(mode)
    return tmp_path


def drafted(disk, folder):
    """A draft that changes, adds, deletes and moves."""
    draft = Draft(disk)
    draft.existing(named(folder / "changed")).write("new")
    draft.file(named(folder / "added")).write("added")
    draft.existing(named(folder / "deleted")).now = None
    source, target = draft.existing(named(folder / "moved")), draft.file(named(folder / "target"))
    target.now, target.mode, source.now = source.now, source.stamp.mode, None
    return draft


def test_all_is_done(folder):
    drafted(LocalFiles(), folder).commit()
    found = content(folder)
    assert {name: data for name, (data, _) in found.items()} == {
        "changed": b"new",
        "added": b"added",
        "target": b"moved",
    }
    assert found["changed"][1] == 0o640 and found["target"][1] == 0o755


@pytest.mark.parametrize("number", range(1, 6))
@pytest.mark.parametrize("interrupt", [False, True])
def test_a_failure_at_any_operation_leaves_all_as_it_was(folder, number, interrupt):
    before = content(folder)
    with pytest.raises(KeyboardInterrupt if interrupt else UsageError) as caught:
        drafted(Failing(number, interrupt=interrupt), folder).commit()
    assert content(folder) == before
    assert interrupt or "Nothing was changed" in str(caught.value)


def test_what_cannot_be_put_back_is_named(folder):
    with pytest.raises(UsageError) as caught:
        drafted(Failing(3, 4), folder).commit()
    said = str(caught.value)
    assert "operation 3 failed" in said and "couldn't be put back: added (operation 4 failed)" in said
    assert content(folder)["changed"][0] == b"changed"


def test_what_somebody_else_changed_meanwhile_stops_all(folder):
    draft = drafted(LocalFiles(), folder)
    (folder / "deleted").write_text("somebody else's")
    with pytest.raises(UsageError, match="deleted has changed meanwhile"):
        draft.commit()
    assert (folder / "changed").read_text() == "changed" and not (folder / "added").exists()
    assert (folder / "deleted").read_text() == "somebody else's"


def test_what_is_put_back_has_its_mode_at_once(folder):
    (folder / "moved").chmod(0o600)
    old = os.umask(0)
    try:
        with pytest.raises(UsageError):
            drafted(Failing(5), folder).commit()
    finally:
        os.umask(old)
    assert stat.S_IMODE((folder / "deleted").stat().st_mode) == 0o600

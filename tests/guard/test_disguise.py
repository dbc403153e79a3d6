"""Text that doesn't show what it is."""

from __future__ import annotations

import pytest

from handiwork.guard.disguise import undisguised


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("r\u200bm x", "rm x"),
        ("g\x1b[0mit push", "git push"),
        ("\uff52\uff4d -rf /", "rm -rf /"),
        ("w\u0456pefs -a", "wipefs -a"),
        ("rm\u00a0-rf /", "rm -rf /"),
        ("rm \u2013rf /", "rm -rf /"),
        ("ls\x00", "ls"),
    ],
)
def test_disguises_are_taken_off_and_told(text: str, plain: str) -> None:
    found, effects = undisguised(text)
    assert found == plain
    assert effects


@pytest.mark.parametrize(
    "text",
    [
        "git commit -m 'caf\u00e9 \u2013 na\u00efve'",
        "echo \u043f\u0440\u0438\u0432\u0435\u0442",
        "echo '\u4f60\u597d'",
        "ls\r\npwd",
    ],
)
def test_other_languages_are_no_disguise(text: str) -> None:
    found, effects = undisguised(text)
    assert found == text.replace("\r\n", "\n")
    assert not effects

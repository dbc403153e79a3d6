"""The text of a SKILL.md: what its head says, and what is wrong with it.

Two kinds of fault are told apart: with an error a skill can't be used, a remark only breaks the rules that
agents share (agentskills.io), which `handiwork skills validate` holds it to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from handiwork.core.loading import Late

yaml = Late("yaml")

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
MOST_NAME, MOST_DESCRIPTION, MOST_COMPATIBILITY = 64, 1024, 500
MOST_LINES = 500
_MOST_HEAD_CHARS = 16_000
_HEAD = re.compile(r"---[ \t]*\n(.*?\n)---[ \t]*(?:\n|\Z)", re.DOTALL)
_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")


@dataclass(frozen=True, slots=True)
class SkillText:
    """What a SKILL.md says: its head, of that the description, and its body; its faults in words."""

    description: str = ""
    body: str = ""
    errors: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    head: Mapping[Any, Any] = field(default_factory=dict)


def is_name(name: str) -> bool:
    """Whether a skill may be called so."""
    return len(name) <= MOST_NAME and NAME.fullmatch(name) is not None


def read_skill_text(data: bytes, folder: str) -> SkillText:
    """The SKILL.md of the folder of that name."""
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return SkillText(errors=("SKILL.md is not UTF-8 text",))
    found = _HEAD.match(text)
    if found is None:
        return SkillText(errors=("SKILL.md doesn't begin with a head between two lines of ---",))
    head, fault = _parse(found[1])
    if fault:
        return SkillText(errors=(fault,))
    body = text[found.end() :].strip()
    description = head.get("description")
    said = " ".join(description.split()) if isinstance(description, str) else ""
    errors, remarks = tuple(_errors(said, folder)), tuple(_remarks(head, folder, body))
    return SkillText(said[:MOST_DESCRIPTION], body, errors, remarks, head)


def write_skill_text(head: Mapping[str, Any], body: str) -> bytes:
    """A SKILL.md with that head and that body."""
    said: str = yaml.safe_dump(dict(head), sort_keys=False, allow_unicode=True, width=110)
    return f"---\n{said}---\n\n{body.strip()}\n".encode()


def _parse(head: str) -> tuple[dict[Any, Any], str]:
    if len(head) > _MOST_HEAD_CHARS:
        return {}, f"the head of SKILL.md is longer than {_MOST_HEAD_CHARS:,} characters"
    try:
        said = yaml.safe_load(head)
    except Exception as error:  # noqa: BLE001 - strangers' text: odd tags break the parser in ways of its own
        problem = getattr(error, "problem", None) or str(error)
        return {}, f"the head of SKILL.md is no YAML: {problem}"
    return (said, "") if isinstance(said, dict) else ({}, "the head of SKILL.md is no mapping of keys")


def _errors(description: str, folder: str) -> Iterator[str]:
    if not is_name(folder):
        yield f"the folder's name {folder!r} is none for a skill: a-z, 0-9 and single hyphens, at most {MOST_NAME}"
    if not description:
        yield "description is missing"


def _remarks(head: Mapping[Any, Any], folder: str, body: str) -> Iterator[str]:
    name, description = head.get("name"), head.get("description")
    if name != folder:
        yield f"name is {name!r}, and must be that of its folder, {folder!r}" if name else "name is missing"
    if isinstance(description, str) and len(description) > MOST_DESCRIPTION:
        yield f"description is longer than {MOST_DESCRIPTION:,} characters"
    yield from (f"{key} is not a text" for key in ("description", "license") if not _is_text(head.get(key, "x")))
    compatibility = head.get("compatibility", "x")
    if not _is_text(compatibility) or len(compatibility) > MOST_COMPATIBILITY:
        yield f"compatibility is not a text of 1 to {MOST_COMPATIBILITY} characters"
    metadata = head.get("metadata", {})
    if not isinstance(metadata, dict) or not all(isinstance(x, str) for pair in metadata.items() for x in pair):
        yield "metadata is not a mapping of texts to texts"
    if not isinstance(head.get("allowed-tools", ""), str):
        yield "allowed-tools is not a text of names with spaces between them"
    yield from (f"the key {key!r} is unknown" for key in head if key not in _KEYS)
    if body.count("\n") >= MOST_LINES:
        yield f"the text has more than {MOST_LINES} lines: put what is rarely needed into files of its own"
    if not body:
        yield "there is no text below the head"


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())

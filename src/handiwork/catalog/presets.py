"""Groups of toolsets that ship with Handiwork: scenarios, and one preset for each face.

A preset names toolsets, never tools; a tool says its own toolset. Names of toolsets whose files are
not installed contribute nothing.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Toolset:
    """A composite: tools by name, other toolsets, or both."""

    name: str
    description: str = ""
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


ALL = "all"
SEARCH = "tool_search"
CORE = ("file", "terminal", "todo", "clarify", "utility", SEARCH)

BASELINE = (
    "file", "terminal", "web", "browser", "code_execution", "vision", "image_gen", "tts", "stt", "memory",
    "todo", "session_search", "clarify", "delegation", "skills", "cronjob", "homeassistant", "tool_search",
    "checkpoint", "utility",
)  # fmt: skip
_CONSTRAINED = ("web", "vision", "memory", "todo", "session_search", "skills", "tool_search", "utility")


def _preset(face: str, description: str, *own: str, without: tuple[str, ...] = ()) -> Toolset:
    includes = tuple(t for t in (*BASELINE, *own) if t not in without)
    return Toolset(f"handiwork-{face}", description, includes=includes)


_TABLE = (
    Toolset("debugging", "Commands, the web and files.", includes=("terminal", "web", "file")),
    Toolset("safe", "No commands, no files.", includes=("web", "vision", "image_gen")),
    _preset("cli", "The command line.", "video", "video_gen", "computer_use", "messaging"),
    _preset("acp", "Editors.", without=("clarify", "tts", "stt", "image_gen")),
    _preset("api-server", "The OpenAI-compatible server.", without=("clarify", "tts")),
    _preset("cron", "Scheduled runs.", "messaging", without=("clarify", "cronjob")),
    _preset("telegram", "Telegram.", "messaging"),
    _preset("discord", "Discord.", "messaging", "discord", "discord_admin"),
    _preset("feishu", "Feishu.", "messaging", "feishu_doc", "feishu_drive"),
    _preset("slack", "Slack.", "messaging"),
    Toolset("handiwork-webhook", "Webhooks: strangers write the prompt.", includes=_CONSTRAINED),
    Toolset(
        "handiwork-gateway",
        "All chat platforms.",
        includes=tuple(f"handiwork-{p}" for p in ("telegram", "discord", "feishu", "slack", "webhook")),
    ),
)
# Faces of the person's own: what is in their plugin folder, and the servers that they chose, are theirs to
# use without enabling them first.
TAKES_OWN_PLUGINS = frozenset({"handiwork-cli", "handiwork-acp", "handiwork-api-server", "handiwork-cron"})
OWN_PLUGINS = ("plugin:user/", "mcp:")
COMPOSITES: dict[str, Toolset] = {t.name: t for t in _TABLE}

_OLD_NAMES = {
    "web_tools": "web", "search_tools": "web", "terminal_tools": "terminal", "file_tools": "file",
    "browser_tools": "browser", "vision_tools": "vision", "image_tools": "image_gen", "tts_tools": "tts",
    "skills_tools": "skills", "cronjob_tools": "cronjob", "memory_tools": "memory", "search": "web",
}  # fmt: skip
ALIASES: dict[str, str] = {
    **{f"hermes-{name.removeprefix('handiwork-')}": name for name in COMPOSITES if name.startswith("handiwork-")},
    **_OLD_NAMES,
}
SHIPPED = frozenset(name for t in _TABLE for name in t.includes)

"""Reading SQL and its kin: statements that destroy or give away."""

from __future__ import annotations

import re
from typing import Final

from ..shell.call import Call
from ..shell.marks import UNKNOWN

MOST_SQL = 20_000

_COMMENT = re.compile(r"--[^\n]*|/\*.*?\*/", re.DOTALL)
_QUOTED = re.compile(r"'(?:[^']|'')*'")
_STATEMENT: Final = re.compile(
    r"\b(?:DROP\s+(?:TABLE|DATABASE|SCHEMA|INDEX|VIEW|USER|ROLE|KEYSPACE|COLLECTION|TABLESPACE|OWNED"
    r"|MATERIALIZED|SEQUENCE"
    r"|FUNCTION|TRIGGER|EXTENSION|TYPE|COLUMN|MEASUREMENT|SERIES|BUCKET|STREAM|TOPIC|PROCEDURE)|TRUNCATE\b"
    r"|ALTER\s+TABLE\b.*?\bDROP\b|ALTER\s+(?:USER|ROLE|SYSTEM|LOGIN)|GRANT\s+ALL|CREATE\s+(?:USER|ROLE"
    r"|LOGIN)|FLUSHALL|FLUSHDB"
    r"|SHUTDOWN\b|DELETE\s+FROM\b(?!.*\bWHERE\b)|UPDATE\s+\S+\s+SET\b(?!.*\bWHERE\b)|DETACH\s+DELETE|REMOVE\s+\w+:"
    r"|DELETE\s+FROM\b.*\bWHERE\s+(?:1\s*=\s*1|true|1)\b|UPDATE\b.*\bWHERE\s+(?:1\s*=\s*1|true)\b|PURGE\b"
    r"|xp_cmdshell|INTO\s+(?:OUTFILE|DUMPFILE)|COPY\b.*\b(?:FROM|TO)\s+PROGRAM|SET\s+PASSWORD|RESET\s+MASTER)",
    re.IGNORECASE | re.DOTALL,
)
_SCRIPTED: Final = re.compile(
    r"\.(?:_?drop(?:Database|Index(?:es)?|User|Collection)?|deleteMany|remove|deleteOne|findOneAndDelete"
    r"|shutdownServer)\s*\("
)
_SHELLED: Final = re.compile(
    r"(?:^|[\n;])\s*(?:\\!|\.(?:shell|system)|system|!)\s+([^\n]*)|PROGRAM\s+'((?:[^']|'')*)'", re.IGNORECASE
)
_LOADED: Final = re.compile(r"(?:^|\n)\s*\.output\s+(\S+)|load_extension\s*\(", re.IGNORECASE)


def read_sql(text: str, call: Call) -> str:
    """Note what the statements do, each by its first destructive words."""
    text = _COMMENT.sub(" ", text[:MOST_SQL])
    for shelled in _SHELLED.findall(text):
        call.runs(shelled[0] or shelled[1].replace("''", "'"))
    if _LOADED.search(text):
        call.effect("run_other", text[:60])
    for statement in _QUOTED.sub("''", text).split(";"):
        found = _STATEMENT.search(statement) or _SCRIPTED.search(statement)
        if found:
            call.effect("database", statement.strip()[:80])
    return UNKNOWN

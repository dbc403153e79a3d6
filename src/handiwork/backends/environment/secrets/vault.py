"""The values of secrets, read where the person keeps them, and what stands for them in the sandbox."""

from __future__ import annotations

import os
import secrets
import string
import subprocess
from dataclasses import dataclass, field

from ....core.errors import UsageError
from ....core.hosts import AllowList, allow_list
from ....core.secrets import Secret

SHORTEST = 8
_LONGEST = 8192
_COMMAND_S = 30.0
_LETTERS = string.ascii_letters + string.digits


@dataclass(frozen=True, slots=True)
class Held:
    """A secret with its value, and its placeholder: as long as the value, and worth nothing."""

    secret: Secret
    placeholder: str
    hosts: AllowList
    value: str = field(repr=False)

    @property
    def file(self) -> str:
        """The file that holds the value, which no command shall see; "" where it isn't in one."""
        source = os.path.expanduser(self.secret.source)
        return os.path.realpath(source) if self.secret.kind == "file" else ""

    def goes_to(self, host: str, port: int) -> bool:
        """Whether the value may go there; over TLS alone, so a rule without a port means 443."""
        return self.hosts.allows(host, port) and port != 80


def held(secret: Secret) -> Held:
    """*secret* with its value. Raises `UsageError` that says where the value should be."""
    value = read_value(secret)
    return Held(secret, placeholder_for(value), allow_list(secret.hosts, f"secrets.{secret.name}.hosts"), value)


def read_value(secret: Secret) -> str:
    """The value, without the line's end. Raises `UsageError`."""
    value = _READERS[secret.kind](secret).rstrip("\r\n")
    if not SHORTEST <= len(value) <= _LONGEST or not value.isascii() or not value.isprintable():
        raise _trouble(secret, f"its value must be one line of {SHORTEST} to {_LONGEST:,} ASCII characters")
    return value


def placeholder_for(value: str) -> str:
    """Random, and as long as *value*, so that nothing else of a message changes with it."""
    return ("hw" + "".join(secrets.choice(_LETTERS) for _ in value))[: len(value)]


def _from_env(secret: Secret) -> str:
    value = os.environ.get(secret.source, "")
    if not value:
        raise _trouble(secret, f"the variable {secret.source} isn't set")
    return value


def _from_file(secret: Secret) -> str:
    try:
        with open(os.path.expanduser(secret.source), encoding="utf-8") as file:
            return file.read(_LONGEST + 2)
    except (OSError, UnicodeDecodeError) as error:
        raise _trouble(secret, f"{secret.source} can't be read: {getattr(error, 'strerror', error)}") from error


def _from_command(secret: Secret) -> str:
    """What the person's own command prints; it may ask at their terminal, so it has our standard error."""
    try:
        done = subprocess.run(
            ("/bin/sh", "-c", secret.source), stdout=subprocess.PIPE, timeout=_COMMAND_S, check=True, encoding="utf-8"
        )
    except (OSError, UnicodeDecodeError, subprocess.SubprocessError) as error:
        raise _trouble(secret, f"its command failed ({type(error).__name__})") from error
    return done.stdout


_READERS = {"env": _from_env, "file": _from_file, "command": _from_command}


def _trouble(secret: Secret, what: str) -> UsageError:
    return UsageError(f"the secret {secret.name}: {what}", f"mend it, or take secrets.{secret.name} out of config.yaml")

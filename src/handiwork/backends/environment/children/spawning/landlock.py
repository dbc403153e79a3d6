"""Landlock: the kernel's own list of what a process and its children may do with files and ports."""

from __future__ import annotations

import os
import stat
import struct
from typing import TYPE_CHECKING, Any

from . import kernel

if TYPE_CHECKING:
    from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1  # asks for the version of the interface
_PATH_BENEATH, _NET_PORT = 1, 2

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_REFER, _TRUNCATE, _IOCTL_DEVICE = 1 << 13, 1 << 14, 1 << 15
_MAKE_DEVICES = 1 << 6 | 1 << 11  # character and block devices: a way to the disk itself for root
_FIRST_13 = (1 << 13) - 1
_BIND_TCP, _CONNECT_TCP = 1 << 0, 1 << 1
_SCOPE_ABSTRACT_SOCKETS, _SCOPE_SIGNALS = 1 << 0, 1 << 1

_FOR_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEVICE
_READ = _READ_FILE | _READ_DIR
# Harmless, and hardly a program does without.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")

_USE_DEVICE = _READ_FILE | _WRITE_FILE | _TRUNCATE | _IOCTL_DEVICE

NEEDS_PORTS = 4


def version() -> int:
    """The version of the interface, 1 or more; a negative error number where there is none."""
    return kernel.call(_CREATE_RULESET, None, 0, _VERSION)


def prepare(files: dict[str, Any] | None, network: dict[str, Any], screen: str = "") -> int:
    """The rules as a descriptor for `restrict`, -1 where this version has nothing to confine.

    *screen* is a terminal that can be used, too, if it isn't empty.

    Raises `OSError` where the kernel can't do what was asked for.
    """
    known = version()
    if known < 1:
        raise OSError(-known, f"this kernel has no Landlock ({os.strerror(-known)})")
    by_ports = network["mode"] == "ports"
    if by_ports and known < NEEDS_PORTS:
        raise OSError(0, f"this kernel's Landlock is of version {known}; rules for ports need {NEEDS_PORTS}")
    rights = _rights(known) if files is not None else 0
    ruleset = _ruleset(known, rights, _BIND_TCP | _CONNECT_TCP if by_ports else 0)
    if files is not None:
        _allow_files(ruleset, rights, files)
        _allow(ruleset, (*_DEVICES, screen), rights & _USE_DEVICE)
    if by_ports:
        _allow_ports(ruleset, _CONNECT_TCP, network["connect"])
        _allow_ports(ruleset, _BIND_TCP, network["bind"])
    return ruleset


def restrict(ruleset: int) -> None:
    """Confine this process and all that it starts, for good."""
    _check(kernel.call(_RESTRICT_SELF, ruleset, 0))


def _rights(known: int) -> int:
    """All rights over files that this version can take away."""
    later = ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEVICE))
    return _FIRST_13 | sum(right for since, right in later if known >= since)


def _ruleset(known: int, rights: int, ports: int) -> int:
    scopes = _SCOPE_ABSTRACT_SOCKETS | _SCOPE_SIGNALS if known >= 6 else 0
    if not (rights or ports or scopes):
        return -1
    size = 24 if known >= 6 else 16 if known >= NEEDS_PORTS else 8
    return _check(kernel.call(_CREATE_RULESET, struct.pack("=QQQ", rights, ports, scopes)[:size], size, 0))


def _allow_files(ruleset: int, rights: int, files: dict[str, Any]) -> None:
    _allow(ruleset, files["read"], rights & _READ)
    _allow(ruleset, files["execute"], rights & (_READ | _EXECUTE))
    _allow(ruleset, files["write"], rights & ~_EXECUTE & ~_MAKE_DEVICES)


def _allow(ruleset: int, paths: Iterable[str], rights: int) -> None:
    for path in paths:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError):
            continue  # a rule for what isn't there would give nothing
        is_folder = stat.S_ISDIR(os.fstat(place).st_mode)
        rule = struct.pack("=Qi", rights if is_folder else rights & _FOR_FILES, place)
        _check(kernel.call(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0))
        os.close(place)


def _allow_ports(ruleset: int, right: int, ports: Iterable[int]) -> None:
    for port in ports:
        _check(kernel.call(_ADD_RULE, ruleset, _NET_PORT, struct.pack("=QQ", right, port), 0))


def _check(result: int) -> int:
    if result < 0:
        raise OSError(-result, f"Landlock refused a rule ({os.strerror(-result)})")
    return result

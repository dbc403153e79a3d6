"""A filter for system calls: those that a command has no use for, or that get around its confinement.

Nothing is killed; a call that isn't allowed answers EPERM (or ENOSYS, where programs then take another way).
"""

from __future__ import annotations

import errno
import struct
from functools import cache

_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _JUMP_ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW = 0x7FFF0000
_ANSWER = 0x00050000
_NUMBER, _ARCHITECTURE = 0, 4
_OTHER_ABI = 0x40000000  # x32: the same machine, other numbers

# Numbers of calls on (x86_64, aarch64); -1 where there is none.
_TRACING = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
}
_NEVER = {
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "open_tree_attr": (467, 467),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "iopl": (172, -1),
    "ioperm": (173, -1),
}
_WATCHED = {
    "ioctl": (16, 29),
    "unshare": (272, 97),
    "clone": (56, 220),
    "clone3": (435, 435),
    "socket": (41, 198),
    "sendto": (44, 206),
    "sendmsg": (46, 211),
    "sendmmsg": (307, 269),
}
# The architecture word of each, and its place in the pairs above.
MACHINES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

_TYPE_FOR_ANOTHER, _TIOCLINUX = 0x5412, 0x541C
_NEW_NAMESPACES = 0x7E020000
_NEW_TIME_NAMESPACE = 0x80  # in unshare; clone has the signal of the end there
_UNIX, _INET, _INET6 = 1, 2, 10
_TYPE_BITS, _STREAM = 0xF, 1
_TCP = 6
_FAST_OPEN = 0x20000000  # connects without connect, past the rules for ports


@cache
def instructions(machine: str, network: str, *, unix_sockets: bool, tracing: bool = False) -> bytes:
    """The filter as BPF; *tracing* is for where no process of others is in sight.

    Raises `OSError` for a machine whose numbers we don't know.
    """
    if machine not in MACHINES:
        raise OSError(errno.ENOSYS, f"no filter of calls is known for {machine}")
    word, place = MACHINES[machine]
    never = [pair[place] for pair in (*_NEVER.values(), *(() if tracing else _TRACING.values())) if pair[place] >= 0]
    watched = {name: pair[place] for name, pair in _WATCHED.items()}
    rules = [
        *_unless_equal(_ARCHITECTURE, word),
        *_load(_NUMBER),
        *_if(_JUMP_AT_LEAST, _OTHER_ABI, _answer()),
        *(step for number in never for step in _if(_JUMP_EQUAL, number, _answer())),
        *_if(_JUMP_EQUAL, watched["clone3"], _answer(errno.ENOSYS)),  # its flags lie in memory: the old way is taken
        *_if(_JUMP_EQUAL, watched["clone"], _with_flags(0, _NEW_NAMESPACES)),
        *_if(_JUMP_EQUAL, watched["unshare"], _with_flags(0, _NEW_NAMESPACES | _NEW_TIME_NAMESPACE)),
        *_if(_JUMP_EQUAL, watched["ioctl"], _one_of(1, _TYPE_FOR_ANOTHER, _TIOCLINUX)),
        *_about_network(watched, network, unix_sockets=unix_sockets),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(rules)


def _about_network(watched: dict[str, int], network: str, *, unix_sockets: bool) -> list[bytes]:
    rules = []
    if network != "on":
        rules += _if(_JUMP_EQUAL, watched["socket"], _sockets(tcp=network == "ports", unix=unix_sockets))
    elif not unix_sockets:
        rules += _if(_JUMP_EQUAL, watched["socket"], _one_of(0, _UNIX))
    if network == "ports":
        for name, flags in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
            rules += _if(_JUMP_EQUAL, watched[name], _with_flags(flags, _FAST_OPEN))
    return rules


def _sockets(*, tcp: bool, unix: bool) -> list[bytes]:
    """Allow plain TCP, which Landlock has rules for (not its multipath kind), and local sockets."""
    allow = [_step(_RETURN, _ALLOW)]
    rules = _load(_argument(0))
    if unix:
        rules += _if(_JUMP_EQUAL, _UNIX, allow)
    if tcp:
        kind = [*_load(_argument(1)), _step(_AND, _TYPE_BITS), *_if(_JUMP_EQUAL, _STREAM, _protocols())]
        for family in (_INET, _INET6):
            rules += _if(_JUMP_EQUAL, family, [*kind, *_answer()])
    return [*rules, *_answer()]


def _protocols() -> list[bytes]:
    allow = [_step(_RETURN, _ALLOW)]
    return [*_load(_argument(2)), *_if(_JUMP_EQUAL, 0, allow), *_if(_JUMP_EQUAL, _TCP, allow), *_answer()]


def _with_flags(argument: int, flags: int) -> list[bytes]:
    return [*_load(_argument(argument)), *_if(_JUMP_ANY_BIT, flags, _answer()), _step(_RETURN, _ALLOW)]


def _one_of(argument: int, *values: int) -> list[bytes]:
    checks = [step for value in values for step in _if(_JUMP_EQUAL, value, _answer())]
    return [*_load(_argument(argument)), *checks, _step(_RETURN, _ALLOW)]


def _argument(number: int) -> int:
    """Where the lower half of an argument lies: the kernel reads these arguments as 32 bits."""
    return 16 + 8 * number


def _unless_equal(place: int, value: int) -> list[bytes]:
    return [*_load(place), _step(_JUMP_EQUAL, value, 1, 0), *_answer()]


def _if(test: int, value: int, then: list[bytes]) -> list[bytes]:
    """Do *then*, which ends in an answer, where the loaded word passes the test; else go on behind it."""
    return [_step(test, value, 0, len(then)), *then]


def _load(place: int) -> list[bytes]:
    return [_step(_LOAD, place)]


def _answer(number: int = errno.EPERM) -> list[bytes]:
    return [_step(_RETURN, _ANSWER | number)]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)

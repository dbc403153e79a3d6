"""What confined commands can't do, tried for real inside temporary folders, and the filter's logic by itself."""

from __future__ import annotations

import errno
import json
import os
import re
import resource
import socket
import struct
import sys
from pathlib import Path

import pytest

from handiwork.backends.environment.child import Nursery
from handiwork.backends.environment.confinement import Confinement, Files, Limits, Network
from handiwork.backends.environment.follow import Follower
from handiwork.backends.environment.offer import probe
from handiwork.backends.environment.spawning import landlock, seccomp
from handiwork.core.errors import HandiworkError, UsageError

OFFER = probe()
PROGRAMS = ("/usr", "/bin", "/lib", "/lib64", sys.prefix, sys.base_prefix)
needs_landlock = pytest.mark.skipif(OFFER.landlock < 6, reason="needs Landlock 6")
needs_ports = pytest.mark.skipif(OFFER.landlock < landlock.NEEDS_PORTS, reason="needs Landlock 4")
needs_filter = pytest.mark.skipif(not OFFER.seccomp, reason="needs seccomp filters")


@pytest.fixture
def run(tmp_path):
    """Runs a program under a confinement; its exit code and output."""
    nursery = Nursery()

    def begin(argv, confinement, cwd=tmp_path):
        child = nursery.start(argv, cwd=str(cwd), env={"PATH": os.environ["PATH"]}, confinement=confinement)
        chunks = []
        assert Follower(child, chunks.append).follow(20) == "ended"
        nursery.forget(child)
        return child.poll(), b"".join(chunks).decode()

    yield begin
    nursery.close()


@pytest.fixture
def shell(run):
    return lambda text, confinement: run(["bash", "-c", text], confinement)


@pytest.fixture
def python(run):
    return lambda text, confinement: run([sys.executable, "-I", "-S", "-c", text], confinement)


# --- the value ---


def test_it_can_be_written_down():
    whole = Confinement(
        Files(("/etc",), ("/tmp",), ("/usr",)), Network("ports", (443,), (8080,), False), Limits(1.5, 2, 3, 4, 5)
    )
    for confinement in (whole, Confinement()):
        assert Confinement.of(json.loads(json.dumps(confinement.plain()))) == confinement


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match="absolute"):
        Confinement(Files(read=("src",)))
    with pytest.raises(UsageError, match="no port"):
        Confinement(network=Network("ports", (70_000,)))
    with pytest.raises(UsageError, match="open_files=-5"):
        Confinement(limits=Limits(open_files=-5))


# --- the filter, as the kernel reads it ---


def decide(program, word, number, *arguments):
    """Run BPF on one call: the error it answers, 0 when it lets the call through."""
    data = struct.pack("=IIQ6Q", number, word, 0, *(arguments + (0,) * (6 - len(arguments))))
    steps = [struct.unpack_from("=HBBI", program, place) for place in range(0, len(program), 8)]
    place = loaded = 0
    while True:
        code, if_true, if_false, value = steps[place]
        place += 1
        if code == 0x20:
            loaded = struct.unpack_from("=I", data, value)[0]
        elif code == 0x54:
            loaded &= value
        elif code == 0x06:
            return 0 if value == 0x7FFF0000 else value & 0xFFFF
        else:
            test = {0x15: loaded == value, 0x35: loaded >= value, 0x45: bool(loaded & value)}[code]
            place += if_true if test else if_false


MACHINES = pytest.mark.parametrize("machine", seccomp.MACHINES)


@MACHINES
def test_calls_that_nobody_needs_are_denied_and_others_are_not(machine):
    word, place = seccomp.MACHINES[machine]
    program = seccomp.instructions(machine, "on", unix_sockets=True)
    never = {**seccomp._NEVER, **seccomp._TRACING}
    for name, pair in never.items():
        assert pair[place] < 0 or decide(program, word, pair[place]) == errno.EPERM, name
    named = {pair[place] for pair in (*never.values(), *seccomp._WATCHED.values())}
    assert all(decide(program, word, number) == 0 for number in range(500) if number not in named)
    tracing = seccomp.instructions(machine, "on", unix_sockets=True, tracing=True)
    assert all(decide(tracing, word, pair[place]) == 0 for pair in seccomp._TRACING.values())
    assert decide(program, 0x40000003, 0) == decide(program, word, 0x40000000) == errno.EPERM  # i386, x32
    assert len(program) // 8 < 400


@MACHINES
def test_flags_and_requests_decide_where_the_number_does_not(machine):
    word, place = seccomp.MACHINES[machine]
    program = seccomp.instructions(machine, "on", unix_sockets=True)

    def ask(name, *arguments):
        return decide(program, word, seccomp._WATCHED[name][place], *arguments)

    new_user, new_net, thread = 0x10000000, 0x40000000, 0x3D0F00
    assert ask("clone", thread) == ask("clone", 17) == ask("unshare", 0x400) == 0
    assert ask("clone", new_user | 17) == ask("unshare", new_net) == ask("unshare", 0x80) == errno.EPERM
    assert ask("clone3", 0, 88) == errno.ENOSYS
    assert ask("ioctl", 0, 0x5412) == ask("ioctl", 0, 0x541C) == errno.EPERM
    assert ask("ioctl", 0, 0xFFFFFFFF_00005412) == errno.EPERM  # the kernel looks at the lower half only
    assert ask("ioctl", 0, 0x5413) == 0


@MACHINES
@pytest.mark.parametrize(
    ("network", "unix", "family", "kind", "protocol", "allowed"),
    [
        ("on", True, 2, 2, 0, True),
        ("on", False, 1, 1, 0, False),
        ("on", False, 2, 1, 0, True),
        ("off", True, 1, 1, 0, True),
        ("off", False, 1, 1, 0, False),
        ("off", True, 2, 1, 6, False),
        ("off", True, 16, 3, 0, False),
        ("ports", True, 2, 1, 0, True),
        ("ports", True, 10, 1 | 0o2000000 | 0o4000, 6, True),
        ("ports", True, 2, 1, 262, False),  # multipath TCP, which the rules for ports don't see
        ("ports", True, 2, 2, 0, False),
        ("ports", True, 2, 3, 6, False),
        ("ports", True, 17, 3, 0, False),
        ("ports", False, 1, 1, 0, False),
        ("ports", True, 2 | 1 << 32, 1, 0, True),
    ],
)
def test_sockets(machine, network, unix, family, kind, protocol, allowed):
    word, place = seccomp.MACHINES[machine]
    program = seccomp.instructions(machine, network, unix_sockets=unix)
    answer = decide(program, word, seccomp._WATCHED["socket"][place], family, kind, protocol)
    assert (answer == 0) == allowed


@MACHINES
def test_ports_can_not_be_passed_by_a_first_packet_with_data(machine):
    word, place = seccomp.MACHINES[machine]
    for network, answer in (("ports", errno.EPERM), ("on", 0)):
        program = seccomp.instructions(machine, network, unix_sockets=True)
        assert decide(program, word, seccomp._WATCHED["sendto"][place], 3, 0, 0, 0x20000000) == answer
        assert decide(program, word, seccomp._WATCHED["sendmsg"][place], 3, 0, 0x20000000) == answer


HEADERS = {
    "x86_64": ("/usr/include/x86_64-linux-gnu/asm/unistd_64.h", r"#define __NR_(\w+) (\d+)"),
    "aarch64": ("/usr/include/asm-generic/unistd.h", r"#define __NR(?:3264)?_(\w+) (\d+)"),
}


@MACHINES
def test_the_numbers_are_those_of_the_headers(machine):
    path, pattern = HEADERS[machine]
    if not Path(path).exists():
        pytest.skip("no headers of the kernel here")
    known = {name: int(number) for name, number in re.findall(pattern, Path(path).read_text())}
    place = seccomp.MACHINES[machine][1]
    ours = {name: pair[place] for name, pair in {**seccomp._NEVER, **seccomp._WATCHED}.items() if pair[place] >= 0}
    assert {name: known[name] for name in ours if name in known} == {n: v for n, v in ours.items() if n in known}
    assert len(set(ours) - set(known)) < 5  # newer ones than the headers


# --- what the system has ---


def test_the_probe_tells_what_is_amiss(monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: -errno.EOPNOTSUPP)
    none = probe()
    assert none.landlock == 0 and "switched off" in none.reasons[0]
    monkeypatch.setattr(landlock, "version", lambda: 3)
    assert "TCP ports" in probe().reasons[0] and probe().landlock == 3
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "", "", "riscv64")))
    assert not probe().seccomp and any("riscv64" in reason for reason in probe().reasons)


@needs_landlock
def test_what_the_kernel_can_not_do_is_refused(monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 3)
    with pytest.raises(OSError, match="need 4"):
        landlock.prepare(None, Confinement(network=Network("ports")).plain()["network"])
    monkeypatch.setattr(landlock, "version", lambda: -errno.ENOSYS)
    with pytest.raises(OSError, match="no Landlock"):
        landlock.prepare(Confinement(Files()).plain()["files"], Confinement().plain()["network"])


# --- the real thing ---


@needs_filter
@needs_landlock
def test_files_are_read_changed_and_run_only_where_allowed(shell, tmp_path):
    work, other = tmp_path / "work", tmp_path / "other"
    for folder in (work, other):
        folder.mkdir()
        (folder / "file").write_text("content")
    (work / "link").symlink_to(other / "file")
    files = Files(read=("/etc", str(tmp_path / "nowhere")), write=(str(work),), execute=PROGRAMS)
    confined = Confinement(files)
    ordinary = "cd work; echo new > a; mkdir b; mv a b/c; cat b/c; rm -r b; cat /etc/passwd > /dev/null"
    assert shell(ordinary, confined) == (0, "new\n")
    probes = [
        "cat other/file",
        "cat work/link",
        "ls other",
        "echo x > other/file",
        "echo x > work/link",
        ": > other/new",
        "truncate -s 0 other/file",
        "rm other/file",
        "mv other/file work/moved",
        "ln other/file work/hard",
        "mkdir other/folder",
        "mknod work/device b 1 1",
        "cp /bin/true work/run; chmod +x work/run; work/run",
        "echo x >> /etc/passwd.new",
        "cat /proc/1/environ",
    ]
    for text in probes:
        code, said = shell(text, confined)
        assert code != 0, (text, said)
        assert "denied" in said or "not permitted" in said or "cross-device" in said, (text, said)
    assert sorted(path.name for path in other.iterdir()) == ["file"] and (other / "file").read_text() == "content"


@needs_filter
def test_without_files_in_it_files_stay_as_they_are(shell, tmp_path):
    assert shell("echo x > made; cat made", Confinement()) == (0, "x\n")


@needs_filter
@needs_landlock
def test_a_program_outside_the_paths_is_told_so(run):
    with pytest.raises(UsageError, match="can't be started: Permission denied") as refused:
        run(["/bin/true"], Confinement(Files(read=("/",))))
    assert "execute" in refused.value.hint


CALLS = """
import ctypes, json, sys
system = ctypes.CDLL(None, use_errno=True)
def error(number):
    return ctypes.get_errno() if system.syscall(number, 0, 0, 0, 0, 0, 0) < 0 else 0
print(json.dumps([error(number) for number in json.loads(sys.argv[1])]))
"""


@needs_filter
def test_the_kernel_denies_what_the_filter_names(run):
    place = seccomp.MACHINES[os.uname().machine][1]
    numbers = [pair[place] for pair in seccomp._NEVER.values() if pair[place] >= 0]
    code, said = run([sys.executable, "-I", "-S", "-c", CALLS, json.dumps(numbers)], Confinement())
    assert code == 0 and set(json.loads(said)) == {errno.EPERM}


SOCKETS = """
import socket, sys
def outcome(family, kind, protocol=0):
    try:
        socket.socket(family, kind, protocol).close()
    except PermissionError:
        return "-"
    return "+"
s = socket
print(outcome(s.AF_UNIX, s.SOCK_STREAM), outcome(s.AF_INET, s.SOCK_STREAM), outcome(s.AF_INET6, s.SOCK_STREAM),
      outcome(s.AF_INET, s.SOCK_DGRAM), outcome(s.AF_INET, s.SOCK_STREAM, 262), outcome(s.AF_NETLINK, s.SOCK_RAW))
s.socketpair()
"""


@needs_filter
@needs_ports
@pytest.mark.parametrize(
    ("network", "expected"),
    [
        (Network("off"), "+ - - - - -"),
        (Network("off", unix_sockets=False), "- - - - - -"),
        (Network("ports"), "+ + + - - -"),
    ],
)
def test_sockets_for_real(python, network, expected):
    assert python(SOCKETS, Confinement(network=network)) == (0, expected + "\n")


@needs_filter
@needs_ports
def test_only_the_ports_given_can_be_reached(python):
    open_, shut = socket.create_server(("127.0.0.1", 0)), socket.create_server(("127.0.0.1", 0))
    with open_, shut:
        wanted, other = (server.getsockname()[1] for server in (open_, shut))
        code, said = python(
            f"""
import socket
socket.create_connection(("127.0.0.1", {wanted})).close()
for work in (
    lambda: socket.create_connection(("127.0.0.1", {other})),
    lambda: socket.create_server(("127.0.0.1", 0)),
    lambda: socket.socket().sendto(b"x", 0x20000000, ("127.0.0.1", {other})),
):
    try:
        work()
    except PermissionError:
        print("denied")
""",
            Confinement(network=Network("ports", connect=(wanted,))),
        )
    assert (code, said) == (0, "denied\n" * 3)


@needs_filter
@needs_landlock
def test_those_outside_are_neither_signalled_nor_reached(python):
    name = f"\0handiwork-{os.urandom(6).hex()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(name)
        server.listen()
        code, said = python(
            f"""
import os, signal, socket
for work in (lambda: os.kill({os.getpid()}, 0), lambda: socket.socket(socket.AF_UNIX).connect({name!r})):
    try:
        work()
    except PermissionError:
        print("denied")
child = os.fork()
if child == 0:
    signal.pause()
os.kill(child, signal.SIGKILL)
print(os.waitpid(child, 0)[1])
""",
            Confinement(),
        )
    assert (code, said) == (0, "denied\ndenied\n9\n")


@needs_filter
def test_nothing_confined_can_be_undone_or_left_by_a_child(shell):
    looks = "grep -E 'NoNewPrivs|Seccomp:|CapEff' /proc/self/status"
    code, said = shell(f"{looks}; setsid -w bash -c 'unshare -U true'", Confinement())
    left = int(re.search(r"CapEff:\s+(\w+)", said)[1], 16)
    assert left & 1 << 21 == 0 and (left or os.getuid() != 0)  # CAP_SYS_ADMIN
    assert code != 0 and re.search(r"NoNewPrivs:\s+1", said) and re.search(r"Seccomp:\s+2", said)
    assert "not permitted" in said


@needs_filter
@pytest.mark.integration
def test_limits_hold(python, shell, tmp_path):
    megabyte = 1 << 20
    code, said = python("x = bytearray(200 << 20)", Confinement(limits=Limits(memory_bytes=100 * megabyte)))
    assert code == 1 and "MemoryError" in said
    assert shell("while :; do :; done", Confinement(limits=Limits(cpu_s=1)))[0] == 128 + 24  # SIGXCPU
    code, _ = shell("head -c 2000000 /dev/zero > big", Confinement(limits=Limits(file_bytes=megabyte)))
    assert code == 128 + 25 and (tmp_path / "big").stat().st_size == megabyte  # SIGXFSZ
    assert shell("ulimit -n; ulimit -c", Confinement(limits=Limits(open_files=40))) == (0, "40\n0\n")
    late = "ulimit -n 41 2> /dev/null; sleep 0.5; ulimit -n; ulimit -n 41"  # nor may root raise it for long
    code, said = shell(late, Confinement(limits=Limits(open_files=40)))
    assert code != 0 and said.startswith("40\n")


@needs_filter
def test_threads_and_processes_are_made_as_ever(python):
    text = """
import subprocess, threading
said = []
thread = threading.Thread(target=lambda: said.append(subprocess.run(["echo", "x"], capture_output=True).stdout))
thread.start()
thread.join()
print(said)
"""
    assert python(text, Confinement()) == (0, "[b'x\\n']\n")


@needs_filter
def test_reserving_much_is_not_using_it(python):
    text = "import mmap; mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=0); print('ok')"
    assert python(text, Confinement(limits=Limits(memory_bytes=200 << 20))) == (0, "ok\n")


@needs_filter
def test_a_limit_of_processes_counts_from_those_there_are(shell):
    code, said = shell("ulimit -u", Confinement(limits=Limits(processes=50)))
    assert code == 0 and 50 < int(said) < 50 + 20_000


@needs_filter
def test_a_lower_limit_of_ours_stays(run):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    assert run(["bash", "-c", "ulimit -n"], Confinement(limits=Limits(open_files=hard + 10)))[1] == f"{hard}\n"


@needs_landlock
def test_a_confinement_that_fails_runs_nothing(run, tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(HandiworkError, match="can't be confined"):
        run(["touch", "made"], Confinement(Files(write=(str(tmp_path), str(tmp_path / "loop")), execute=PROGRAMS)))
    assert not (tmp_path / "made").exists()


@needs_filter
@needs_landlock
def test_the_next_command_of_the_same_keeper_is_free_again(shell):
    confined = Confinement(Files(execute=PROGRAMS), limits=Limits(open_files=40, file_bytes=10))
    for _ in range(3):
        assert shell("ulimit -n; echo x > made", confined) == (1, "40\nbash: line 1: made: Permission denied\n")
        code, said = shell("grep Seccomp: /proc/self/status; echo 0123456789abc > made; cat made", None)
        assert code == 0 and re.search(r"Seccomp:\s+0\n0123456789abc", said)


@needs_filter
@needs_landlock
def test_a_confined_program_has_its_terminal(tmp_path):
    nursery = Nursery()
    confined = Confinement(Files(execute=PROGRAMS))
    text = "tty > /dev/tty; stty size; python3 -c 0 < /etc/passwd"
    child = nursery.start(
        ["bash", "-c", text], cwd=str(tmp_path), env={"PATH": "/usr/bin:/bin"}, terminal=(20, 40), confinement=confined
    )
    chunks = []
    assert Follower(child, chunks.append).follow(10) == "ended"
    nursery.close()
    assert re.fullmatch(r"/dev/pts/\d+\r\n20 40\r\n.*/etc/passwd: Permission denied\r\n", b"".join(chunks).decode())

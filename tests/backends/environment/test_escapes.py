"""Ways out of a sandbox, tried harmlessly: each probe may touch only folders of its own test."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest

from handiwork.backends.environment import table
from handiwork.backends.environment.sandboxes.gateway import python
from handiwork.backends.environment.sandboxes.sandboxed import SandboxEnvironment
from handiwork.core.errors import UsageError
from handiwork.core.types import SandboxPolicy

pytestmark = pytest.mark.integration

SECRET = "canary"


@pytest.fixture(params=("bubblewrap", "landlock", "local"))
def kind(request):
    if request.param == "local":
        pytest.skip("local is no sandbox: commands have our own rights")
    return request.param


# What a run of the suite gives every place beside its own: no profile may open a way out.
PROFILES: dict[str, dict[str, object]] = {
    "default": {},
    "no network": {"network": "off"},
    "one host": {"network": ("example.org",)},
    "a folder of the workspace": {"workspace_writes": False},
}


@pytest.fixture(params=PROFILES)
def profile(request):
    return PROFILES[request.param]


@pytest.fixture
def writes(profile):
    """For probes that write into the workspace."""
    if not profile.get("workspace_writes", True):
        pytest.skip("nothing is written there in this profile")


@pytest.fixture
def outside(tmp_path):
    """A folder beside the workspace, with a file that must stay as it is."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "file").write_text("untouched")
    return folder


@pytest.fixture
def try_(kind, profile, open_place, command, outside):
    """Runs a shell text inside; what lies outside must be as it was."""
    places: dict[tuple, object] = {}

    def run(text, timeout_s=15.0, **policy):
        policy = {**profile, **policy}
        key = tuple(sorted(policy.items()))
        if key not in places:
            places[key] = open_place(kind, **policy)
        ran = places[key].run(command(text, timeout_s=timeout_s))
        assert sorted(os.listdir(outside)) == ["file"] and (outside / "file").read_text() == "untouched"
        return ran

    return run


@pytest.fixture
def code(try_, room):
    """Runs Python inside; answers what it printed."""

    def run(text, **more):
        (room / "probe.py").write_text(textwrap.dedent(text))
        return try_(f"{python()} -I -S probe.py", **more).output

    return run


# ------------------------------------------------------------------------------------------------ files


def test_writing_outside(try_, outside):
    for text in (f"echo x > {outside}/file", f"echo x > {outside}/new", f"rm {outside}/file", f"mkdir {outside}/d"):
        assert try_(text).exit_code != 0
    assert try_(f"mv {outside}/file {outside}/moved").exit_code != 0
    assert try_("echo x > ../outside/file; cd ..; echo x > outside/file").exit_code != 0


def test_the_system_is_read_only(try_):
    for path in ("/etc/handiwork-probe", "/usr/handiwork-probe", "/handiwork-probe", "/var/handiwork-probe"):
        assert try_(f"echo x > {path}").exit_code != 0
        assert not os.path.lexists(path)


def test_a_link_in_the_workspace_leads_nowhere(try_, outside, room):
    try_(f"ln -s {outside} link; echo x > link/file; echo x > link/new; rm -f link/file")
    (room / "given").symlink_to(outside)
    assert try_("echo x > given/file").exit_code != 0


def test_a_hard_link_and_a_rename_bring_nothing_in(try_, outside):
    assert try_(f"ln {outside}/file mine").exit_code != 0
    assert try_(f"mv {outside}/file mine").exit_code != 0


def test_truncating_without_opening(code, outside):
    said = code(f"""
        import os
        try: os.truncate({str(outside / "file")!r}, 0)
        except OSError: print("refused")
    """)
    assert said == "refused\n"


def test_modes_and_times_outside(kind, try_, outside):
    if kind == "landlock":
        pytest.skip("Landlock has no rule for modes and times of one's own files, and doctor says so")
    before = (outside / "file").stat()
    assert try_(f"chmod 777 {outside}/file").exit_code != 0
    assert try_(f"touch -t 200001010000 {outside}/file").exit_code != 0
    after = (outside / "file").stat()
    assert (before.st_mode, before.st_mtime_ns) == (after.st_mode, after.st_mtime_ns)


def test_keys_of_the_home_are_out_of_sight(try_, person):
    for name in (".ssh/id_ed25519", ".netrc", "notes.txt"):
        ran = try_(f"cat {person.home}/{name}; cat ~/{name}; cat ../person/{name}")
        assert SECRET not in ran.output and ran.exit_code != 0
    assert SECRET not in try_(f"grep -r {SECRET} {person.home} ~ .. 2>/dev/null").output


def test_passwords_of_the_system_are_out_of_sight(try_):
    assert "root:" not in try_("cat /etc/shadow /etc/shadow- /etc/gshadow").output


def test_our_own_settings_can_not_be_read_or_changed(try_, home):
    before = (home / "config.yaml").read_text()
    ran = try_(f"cat {home}/config.yaml; echo 'mode: yolo' > {home}/config.yaml; mkdir -p {home}/plugins")
    assert before not in ran.output
    assert (home / "config.yaml").read_text() == before and not (home / "plugins").exists()


def test_a_state_of_ours_inside_the_workspace_is_kept_or_refused(kind, open_place, command, room, person, home):
    """Landlock can't take a folder out of a writable one: then nothing runs."""
    inner = room / ".state"
    inner.mkdir()
    (inner / "config.yaml").write_text("mode: ask\n")
    place = SandboxEnvironment(table.LAUNCHERS[kind](SandboxPolicy(), replace(person, own=str(inner))))
    try:
        place.run(command("echo 'mode: yolo' > .state/config.yaml; mv .state elsewhere; rm -rf .state"))
    except UsageError as error:
        assert kind == "landlock" and str(inner) in str(error)
    finally:
        place.close()
    assert (inner / "config.yaml").read_text() == "mode: ask\n"


def test_a_state_of_ours_that_is_not_there_yet_can_not_be_made(kind, open_place, command, room, person):
    if kind == "landlock":
        pytest.skip("refused altogether, see above")
    place = SandboxEnvironment(table.LAUNCHERS[kind](SandboxPolicy(), replace(person, own=str(room / ".state"))))
    place.run(command("mkdir -p .state; echo 'mode: yolo' > .state/config.yaml"))
    place.close()
    assert os.listdir(room / ".state") == []


def test_a_null_byte_cuts_no_path(try_, outside, person):
    text = f"printf 'x' > \"$(printf '{outside}/file\\0.txt')\"; cat $'{person.home}/.netrc\\0x'"
    assert SECRET not in try_(text).output


def test_a_forged_worktree_opens_nothing(try_, room, outside):
    """The file that points to git's folder can be written by a command: it isn't believed."""
    (outside / "file").write_text("untouched")
    try_(f"echo 'gitdir: {outside}' > .git")
    assert try_(f"echo x > {outside}/file").exit_code != 0
    forged = f"mkdir -p fake; echo {outside} > fake/commondir; echo $PWD/.git > fake/gitdir; echo 'gitdir: fake' > .git"
    try_(forged)
    assert try_(f"echo x > {outside}/file").exit_code != 0


def test_a_link_in_the_private_folders_opens_nothing_for_the_next_command(try_, outside):
    try_(f'rm -rf "$TMPDIR"/* ~/.cache 2>/dev/null; ln -s {outside} "$TMPDIR/out"; ln -sfn {outside} ~/.cache')
    try_('echo x > "$TMPDIR/out/file"; echo x > ~/.cache/file; echo x > ~/.cache/new')


def test_a_link_in_the_way_to_another_workspace_is_not_followed(kind, open_place, command, outside, tmp_path):
    """Folders to mount on are made by us, with our rights: not where a command's link leads."""
    other = tmp_path / "other"
    (other / "deeper").mkdir(parents=True)
    place = open_place(kind)
    place.run(command(f"ln -s {outside} {other}; ln -s /oldroot{outside} {other}; ls -la {tmp_path}"))
    try:
        place.run(command("touch here", cwd=str(other / "deeper"), workspace=str(other / "deeper")))
    except UsageError as error:
        assert "link" in str(error)
    assert os.listdir(outside) == ["file"]


# -------------------------------------------------------------------------------------------- processes


@pytest.fixture
def victim():
    """A process of ours outside, with a secret in its variables."""
    process = subprocess.Popen(["sleep", "120"], env={**os.environ, "VICTIM": SECRET})
    yield process
    process.kill()
    process.wait()


def test_other_processes_are_not_ended(try_, victim):
    try_(f"kill -9 {victim.pid}; kill -9 {os.getpid()}; kill -9 $PPID; true")
    try_("kill -STOP $PPID; kill -9 -1", timeout_s=5)
    time.sleep(0.1)
    assert victim.poll() is None
    assert "T" not in Path(f"/proc/{os.getpid()}/stat").read_text().rpartition(")")[2].split()[0]


def test_other_processes_are_not_looked_into(try_, victim, person):
    pid = victim.pid
    ran = try_(f"cat /proc/{pid}/environ /proc/$PPID/environ /proc/1/environ | tr '\\0' '\\n'; ls /proc/{pid}/fd/")
    assert SECRET not in ran.output
    found = try_(f"for p in /proc/[0-9]*; do cat $p/root{person.home}/.netrc $p/cwd/.netrc 2>/dev/null; done")
    assert SECRET not in found.output


def test_other_processes_are_not_traced(code, victim):
    said = code(f"""
        import ctypes
        system = ctypes.CDLL(None, use_errno=True)
        print("attach", system.ptrace(16, {victim.pid}, 0, 0), system.ptrace(0x4206, {victim.pid}, 0, 0))
        pair = (ctypes.c_void_p * 2)(id(system), 8)
        print("read", system.syscall(310, {victim.pid}, ctypes.byref(pair), 1, ctypes.byref(pair), 1, 0))
        print("pidfd", system.syscall(438, system.syscall(434, {victim.pid}, 0), 0, 0))
        try:
            open("/proc/{victim.pid}/mem", "rb+"); print("mem open")
        except OSError as error:
            print("mem", error.errno)
    """)
    assert "attach -1 -1" in said and "read -1" in said and "pidfd -1" in said and "mem open" not in said


def test_the_kernel_keeps_its_settings(try_, writes):
    before = Path("/proc/sys/kernel/core_pattern").read_text()
    for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname"):
        # What is written is what stands there: harmless, should it succeed.
        assert try_(f'old=$(cat {path}); echo "$old" > {path}').exit_code != 0
    assert try_("echo 0 >> /proc/sysrq-trigger; echo $? > code; test $(cat code) != 0").exit_code == 0
    assert Path("/proc/sys/kernel/core_pattern").read_text() == before


def test_a_fork_bomb_meets_its_limit(try_):
    """Root isn't held to it, and is told so by doctor: then the time limit ends the whole tree."""
    if os.geteuid() == 0:
        pytest.skip("the kernel doesn't hold root to a limit of processes")
    ran = try_("i=0; while [ $i -lt 300 ]; do sleep 60 & i=$((i+1)); done; echo all", timeout_s=10, processes=50)
    assert "all\n" not in ran.output or "Resource temporarily unavailable" in ran.output


def test_a_crowd_of_processes_ends_with_its_command(try_):
    ran = try_("for i in $(seq 40); do setsid sleep 7313 & done; sleep 7313", timeout_s=2)
    assert ran.timed_out
    time.sleep(0.5)
    assert subprocess.run(["pgrep", "-fx", "sleep 7313"], capture_output=True, check=False).stdout == b""


def test_a_file_meets_its_limit(try_, room, writes):
    ran = try_("head -c 5000000 /dev/zero > big; echo $?", file_bytes=1 << 20)
    assert (room / "big").stat().st_size <= 1 << 20
    assert "max_file_mb" in try_("head -c 5000000 /dev/zero > big", file_bytes=1 << 20).note
    assert ran.exit_code == 0


def test_memory_and_time_meet_their_limits(code, try_, writes):
    assert "MemoryError" in code("bytearray(1 << 30)", memory_bytes=256 << 20)
    ran = try_("while :; do :; done", cpu_s=1, timeout_s=10)
    assert not ran.timed_out and ran.exit_code >= 128 and "cpu_seconds" in ran.note


# ------------------------------------------------------------------------------------------ the machine


def test_nothing_is_mounted(code, try_):
    assert try_("mkdir -p m; mount -t tmpfs none m; mount --bind /etc m; umount /tmp; umount /proc").exit_code != 0
    said = code("""
        import ctypes
        system = ctypes.CDLL(None)
        print("mount", system.mount(b"none", b"/tmp", b"tmpfs", 0, None), system.umount2(b"/proc", 2))
        print("new", system.syscall(430, b"tmpfs", 0), system.syscall(428, -100, b"/", 1))
    """)
    assert "mount -1 -1" in said and "new -1 -1" in said


def test_no_namespaces_of_its_own(code):
    said = code("""
        import ctypes
        system = ctypes.CDLL(None)
        for name, kind in (("user", 0x10000000), ("mount", 0x00020000), ("net", 0x40000000)):
            print(name, system.unshare(kind), end=" ")
        print("enter", system.setns(0, 0), "clone3", system.syscall(435, 0, 0))
    """)
    assert "user -1 mount -1 net -1" in said and "enter -1" in said


def test_no_raw_sockets(code):
    said = code("""
        import socket
        for family, kind in ((socket.AF_INET, socket.SOCK_RAW), (socket.AF_PACKET, socket.SOCK_RAW)):
            try: socket.socket(family, kind, 1); print("opened")
            except OSError: print("refused")
    """)
    assert said == "refused\nrefused\n"


def test_no_abstract_sockets_of_others(code):
    name = f"handiwork-probe-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("\0" + name)
        listener.listen()
        said = code(f"""
            import socket
            try: socket.socket(socket.AF_UNIX).connect("\\0{name}"); print("connected")
            except OSError: print("refused")
        """)
    assert said == "refused\n"


def test_no_sockets_of_the_system_s_services(code, tmp_path):
    """A bus or a container's engine does anything for whoever can talk to it."""
    folder = tmp_path / "s"
    folder.mkdir()
    path = str(folder / "bus")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        said = code(f"""
            import socket
            try: socket.socket(socket.AF_UNIX).connect({path!r}); print("connected")
            except OSError: print("refused")
        """)
    assert said == "refused\n"


def test_no_sockets_in_a_folder_that_may_be_read(code, tmp_path):
    folder = tmp_path / "served"
    folder.mkdir()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "bus"))
        listener.listen()
        said = code(
            f"""
            import os, socket
            print(os.listdir({str(folder)!r}))
            try: socket.socket(socket.AF_UNIX).connect({str(folder / "bus")!r}); print("connected")
            except OSError: print("refused")
            """,
            readable=(str(folder),),
        )
    assert said == "['bus']\nrefused\n"


def test_no_more_rights_by_a_program_s_mode(try_):
    assert "NoNewPrivs:\t1" in try_("cat /proc/self/status").output
    try_(f"cp {shutil.which('id')} mine; chmod u+s mine")
    assert try_("su nobody -s /bin/true; sudo -n true; test $? -ne 0").exit_code == 0


def test_root_is_less_of_one(try_):
    """None of the rights to administer the machine: modules, raw devices, time, mounts, tracing."""
    line = next(x for x in try_("cat /proc/self/status").output.splitlines() if x.startswith("CapEff"))
    held = int(line.split()[1], 16)
    assert not held & sum(1 << bit for bit in (12, 13, 16, 17, 19, 21, 22, 25, 27, 39))
    assert try_("head -c 1 /dev/vda /dev/sda /dev/mem /dev/kmsg | wc -c").output.strip()[-1:] == "0"


def test_nothing_is_typed_into_a_terminal(code):
    said = code("""
        import fcntl, os
        for path in ("/dev/tty", "/dev/pts/0", "/dev/pts/1"):
            try:
                fd = os.open(path, os.O_RDWR)
                fcntl.ioctl(fd, 0x5412, b"#"); print("typed")
            except OSError: print("refused")
    """)
    assert "typed" not in said


def test_no_io_uring_and_other_ways_around_the_filter(code):
    said = code("""
        import ctypes
        system = ctypes.CDLL(None)
        for name, number in (("io_uring", 425), ("bpf", 321), ("perf", 298), ("keyctl", 250), ("userfaultfd", 323)):
            print(name, system.syscall(number, 0, 0, 0, 0, 0))
    """)
    assert [line.split()[1] for line in said.splitlines()] == ["-1"] * 5


# ------------------------------------------------------------------------------------------ the network


@pytest.fixture
def listener():
    """A server of ours on loopback; it must hear nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def test_no_network_is_none(code, listener):
    port = listener.getsockname()[1]
    said = code(
        f"""
        import socket
        for go in (lambda: socket.create_connection(("127.0.0.1", {port}), 2),
                   lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("192.0.2.1", 53)),
                   lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM).sendto(b"x", ("::1", {port}))):
            try: go(); print("sent")
            except OSError: print("refused")
        """,
        network="off",
    )
    assert said.startswith("refused\nrefused\n")
    listener.settimeout(0.2)
    with pytest.raises(TimeoutError):
        listener.accept()


def test_a_list_of_hosts_goes_through_the_proxy_only(code, listener):
    port = listener.getsockname()[1]
    said = code(
        f"""
        import os, socket, urllib.parse
        proxy = urllib.parse.urlsplit(os.environ["https_proxy"])
        def ask(line):
            with socket.create_connection((proxy.hostname, proxy.port), 5) as way:
                way.sendall(line.encode() + b"\\r\\n\\r\\n")
                return way.recv(200).split(b"\\r\\n")[0].decode()
        print(ask("CONNECT 127.0.0.1:{port} HTTP/1.1"))
        print(ask("CONNECT 127.0.0.1:80 HTTP/1.1"))
        print(ask("CONNECT elsewhere.example:443 HTTP/1.1"))
        print(ask("GET http://169.254.169.254/latest HTTP/1.1"))
        print(ask("CONNECT 2130706433:{port} HTTP/1.1"))
        try: socket.create_connection(("127.0.0.1", {port}), 2); print("connected")
        except OSError: print("refused")
        """,
        network=("listed.example", f"127.0.0.1:{port}"),
    )
    lines = said.splitlines()
    assert lines[0].startswith("HTTP/1.1 200") and lines[-1] == "refused"
    assert all(line.startswith(("HTTP/1.1 403", "HTTP/1.1 400")) for line in lines[1:-1]), lines

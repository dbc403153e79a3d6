"""Programs that run another program, whose name and arguments follow their own."""

from __future__ import annotations

from typing import Any

from ..shell.call import Call
from .arguments import Arguments
from .entry import Program, Rule
from .shells import read_env, read_parallel, read_su, read_sudo, read_xargs


def _busybox(call: Call, arguments: Arguments) -> str:
    return call.runs_words(arguments.rest)


def _watch_text(call: Call, arguments: Arguments) -> str:
    """`watch text`: the words are joined to one shell text; `at` and `batch` are fed theirs."""
    rest = arguments.rest
    if len(rest) == 1:
        return call.runs(rest[0], stdin="")
    return call.runs_words(rest, stdin="") if rest else ""


def _later(call: Call, _arguments: Arguments) -> str:
    """`at`, `batch`: the fed text runs later; `-l` lists."""
    if call.args[:1] == ["-l"]:
        return ""
    call.effect("persistence", " ".join([call.name, *call.args]))
    return call.runs(call.stdin) if call.stdin else ""


def _wrapper(called: str, values: str = "", runs: str = "words", **more: Any) -> Program:
    """The entry of a program that has no form of its own that only shows: `--help` may belong to what it runs."""
    return Program(called, values=values, runs=runs, dry="", **more)


PROGRAMS = (
    _wrapper(
        "sudo doas",
        "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir -c",
        reader=read_sudo,
        allow=("sudo -v", "sudo -k"),
        ask=("sudo ls /root", "sudo -s", "sudo -u bob id", "doas apt update"),
        forbid=("sudo rm -rf /", "sudo -n -u root -- mkfs.ext4 /dev/sda", "echo x | sudo tee /etc/hosts"),
    ),
    _wrapper(
        "pkexec gksudo gksu kdesu run0 please sudoedit", "--user -u", rules=(Rule("", "privilege"),), ask=("pkexec id",)
    ),
    _wrapper(
        "su runuser",
        "-c --command -s -u -g",
        reader=read_su,
        ask=("su -c 'id'", "runuser -u root -- bash"),
        forbid=("su -c 'rm -rf /'",),
    ),
    _wrapper(
        "env",
        reader=read_env,
        allow=("env FOO=1 pytest", "env -i bash --version"),
        ask=("env A=1 git clean -fdx",),
        forbid=("env -i rm -rf /", "env -S 'rm -rf /'"),
    ),
    _wrapper(
        "xargs gxargs",
        "-I -n -P -L -d -E -s -a --max-args --max-procs --delimiter --arg-file",
        reader=read_xargs,
        allow=("find . -print0 | xargs -0 ls -l", "xargs -I{} echo rm {} < f.txt"),
        ask=("ls | xargs rm -rf", "ps | xargs kill"),
        forbid=("echo / | xargs rm -rf", "echo /etc | xargs -I{} rm -rf {}"),
    ),
    _wrapper(
        "parallel rush",
        "-j --jobs -a --arg-file -I --colsep --joblog --results --timeout",
        reader=read_parallel,
        allow=("parallel gzip ::: a.txt b.txt",),
        forbid=("parallel rm -rf ::: /etc /usr",),
    ),
    _wrapper(
        "nohup setsid unbuffer rlwrap dbus-run-session eatmydata fakeroot torsocks proxychains"
        " proxychains4 tsocks catchsegv"
        " ccache distcc linux64 linux32 pasuspender caffeinate retry chronic time gamemoderun prime-run"
        " optirun dumb-init tini catatonit"
        " systemd-inhibit gnome-session-inhibit with-contenv daemonize valgrind mangohud shx doppler-run",
        "--what --who --why --mode --inhibit",
        allow=("nohup npm start", "shx rm -rf dist"),
        forbid=("nohup rm -rf / &", "setsid -w reboot", "env nohup nice timeout 5 rm -rf /", "shx rm -rf /"),
    ),
    _wrapper(
        "nice ionice gtime",
        "-n -c -p -f -o --adjustment --class --classdata --format",
        allow=("nice -n 10 make", "ionice -c3 tar czf a.tgz src"),
        ask=("nice -n 10 git clean -fdx",),
        forbid=("ionice -c3 rm -rf /",),
    ),
    _wrapper(
        "stdbuf", "-i -o -e --input --output --error", allow=("stdbuf -oL make",), forbid=("stdbuf -oL rm -rf /etc",)
    ),
    _wrapper(
        "strace ltrace",
        "-e -o -p -s -u -E -P -O -S -a -I -l -n",
        rules=(Rule("-p", "read_secret", why="it looks into a running process"),),
        allow=("strace -f ls",),
        forbid=("strace -f reboot",),
    ),
    _wrapper(
        "prlimit numactl cgexec choom setpriv softlimit chpst firejail trickle",
        "-g -N -m -C -u -U -n --cpunodebind --membind --reuid --regid",
        rules=(Rule("--reuid|--regid", "privilege"),),
        forbid=("prlimit --nofile=1024 rm -rf /",),
    ),
    _wrapper("xvfb-run", "-n -e -f -s -p -w --server-num --server-args --error-file", forbid=("xvfb-run -a rm -rf /",)),
    _wrapper(
        "faketime chrt envdir", "-f -m", "words 1", allow=("faketime yesterday make",), forbid=("chrt 10 rm -rf /",)
    ),
    _wrapper(
        "timeout gtimeout",
        "-k -s --kill-after --signal",
        "words 1",
        allow=("timeout 10 pytest",),
        forbid=("timeout -k 5 9 reboot",),
    ),
    _wrapper("taskset", "", "words 1", allow=("taskset -c 0 make",), forbid=("taskset -c 0 reboot",)),
    _wrapper("setarch", "", "words 1", forbid=("setarch x86_64 rm -rf /",)),
    _wrapper("x86_64 i386 arm64 arch", "", allow=("arch",)),
    _wrapper(
        "flock",
        "-w -E -c --timeout --command",
        "text -c|--command; words 1",
        allow=("flock /tmp/l make",),
        forbid=("flock /tmp/l -c 'rm -rf /'", "flock /tmp/l reboot"),
    ),
    _wrapper(
        "chroot", "--userspec --groups", "words 1", rules=(Rule("", "privilege"),), forbid=("chroot / rm -rf /etc",)
    ),
    _wrapper("nsenter", "-t -S -G --target --wd", rules=(Rule("", "privilege"),), ask=("nsenter -t 1 -a sh",)),
    _wrapper(
        "newgrp sg login capsh setuid",
        "-c",
        "text -c",
        rules=(Rule("", "privilege"),),
        ask=("newgrp docker", "login root"),
    ),
    _wrapper(
        "proot unshare",
        "-b -w -m -q -R -t -S -G --target --mount --wd --working-directory --map-user --map-group --setgroups",
        ask=("unshare -r git clean -fdx", "proot -0 git reset --hard"),
        forbid=("unshare -r rm -rf /",),
    ),
    _wrapper(
        "systemd-run",
        "-u --unit -p --property --slice --on-calendar --on-active --on-boot --setenv --uid --gid -E -M -H",
        rules=(
            Rule("--on-calendar|--on-active|--on-boot", "persistence"),
            Rule("!--user", "privilege"),
        ),
        ask=("systemd-run --on-active=30 ls",),
        forbid=("systemd-run --scope reboot",),
    ),
    _wrapper(
        "systemd-nspawn",
        "-D -M --directory --machine -b --bind -u",
        "words",
        ask=("systemd-nspawn -D / rm -rf /opt/x",),
    ),
    _wrapper(
        "script",
        "-c --command -t -E -m -O -I -B -o",
        "text -c|--command",
        allow=("script -qc 'npm test' /dev/null",),
        forbid=("script -qc 'rm -rf /' /dev/null",),
    ),
    _wrapper(
        "watch viddy",
        "-n --interval -q --equexit",
        reader=_watch_text,
        allow=("watch -n1 'kubectl get pods'",),
        forbid=("watch -n1 'rm -rf /'", "watch -x rm -rf /"),
    ),
    _wrapper(
        "entr hyperfine nodemon watchexec reflex onchange",
        "-w -m -r -s -e -d -i --ext --watch --exec -x --warmup --runs -p --prepare -S --shell --min-runs -M",
        reader=_watch_text,
        allow=("hyperfine -m 7 'make'",),
        forbid=("hyperfine 'rm -rf /'",),
    ),
    _wrapper("at batch", "-f -q", reader=_later, ask=("echo ls | at now",), forbid=("echo 'rm -rf /' | at now",)),
    _wrapper("busybox toybox", "", reader=_busybox, allow=("busybox ls",), forbid=("busybox rm -rf /",)),
    _wrapper(
        "screen",
        "-S -X -t -c -h -p -e -s",
        "words",
        rules=(Rule("-X", "kill"),),
        ask=("screen -X -S x quit",),
        allow=("screen -ls",),
        forbid=("screen -dm reboot",),
    ),
    _wrapper(
        "npx bunx pnpx uvx pipx-run npm-exec",
        "-p --package -c --call --from --with --python -w",
        "text -c|--call; words",
        allow=("npx tsc --noEmit", "uvx ruff check"),
        forbid=("npx -c 'rm -rf /'",),
    ),
    _wrapper(
        "cross-env dotenv dotenvx env-cmd",
        "-e -f",
        reader=read_env,
        allow=("cross-env NODE_ENV=test mocha"),
        forbid=("cross-env A=1 rm -rf /",),
    ),
    _wrapper(
        "start-stop-daemon",
        "-x --exec -p --pidfile -n -u --startas -a -c -d -s --signal",
        rules=(Rule("-K|--stop", "kill"), Rule("-x|--exec", "run_file", "-x|--exec")),
        ask=("start-stop-daemon --stop -n x",),
    ),
)

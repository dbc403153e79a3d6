"""Programs that end, trace and schedule processes, and that start and stop the machine."""

from __future__ import annotations

import re

from ..places import names
from ..shell.call import Call
from ..shell.marks import shown
from .arguments import Arguments
from .entry import Program, Rule

_OWN = re.compile(r"%[\w+-]*$")


def _kill(call: Call, _arguments: Arguments) -> str:
    """`kill [-signal] ids`: signal 0 only asks, `%1` and `$!` are the command's own."""
    args = list(call.args)
    signal = ""
    while (args and args[0].startswith("-") and args[0] != "-1") or (args and args[0] == "-1" and len(args) > 1):
        signal = args.pop(0)
        if signal in ("-s", "-n", "--signal") and args:
            signal = args.pop(0)
        if signal == "--":
            break
    if signal in ("-0", "0", "-l", "-L", "--list", "--table") or not args:
        return ""
    for target in args:
        if target in ("-1", "-- -1"):
            call.effect("kill_all")
        elif not _OWN.match(target):
            call.effect("kill", shown(target))
    return ""


def _power(call: Call, arguments: Arguments) -> str:
    """`shutdown -c` takes it back, `-k` only warns."""
    if call.name == "init" and arguments.operands[:1] not in (["0"], ["6"], ["1"], ["s"], ["S"]):
        return ""
    if arguments.has(("-k",)) and call.name == "shutdown":
        return ""
    call.effect("settings" if arguments.has(("-c",)) and call.name == "shutdown" else "power")
    return ""


def _crontab(call: Call, arguments: Arguments) -> str:
    if arguments.has(("-l",)):
        return ""
    call.effect("persistence", " ".join([call.name, *call.args]))
    for line in (call.stdin or "").split("\n"):
        found = re.match(r"\s*(?:@\w+|(?:[\d*/,-]+\s+){5})\s*(.+)", line)
        if found:
            call.runs(found[1])
    return ""


_STATES = "poweroff|reboot|halt|kexec|emergency|rescue|soft-reboot|suspend-then-hibernate"


def _bus(call: Call) -> str:
    joined = " ".join(call.args)
    if re.search(
        r"\.(?:PowerOff|Reboot|Halt|KExec|Suspend|Hibernate|HybridSleep|Shutdown|requestShutdown|requestReboot)\b",
        joined,
    ):
        call.effect("power")
    elif re.search(r"\.(?:StopUnit|DisableUnitFiles|MaskUnitFiles|RestartUnit|KillUnit|TerminateUser)\b", joined):
        call.effect("service", joined[:80])
    return ""


_TMUX_RUNS = names(
    "new new-session neww new-window splitw split-window respawn-pane respawnp respawn-window send-keys"
    " send run run-shell"
    " if-shell if pipe-pane display-popup popup"
)


def _tmux(call: Call, arguments: Arguments) -> str:
    """`tmux new-session text`, `send-keys text Enter`: the text is run."""
    if arguments.operands and arguments.operands[0] in _TMUX_RUNS:
        words = [w for w in arguments.operands[1:] if w not in ("Enter", "C-m", "KPEnter")]
        if len(words) == 1:
            call.runs(words[0])
        elif words:
            call.runs_words(words)
    return ""


PROGRAMS = (
    Program(
        "kill",
        reader=_kill,
        dry="--help --version",
        allow=("kill -0 1234", "kill %1", "sleep 9 & kill $!", "kill -l"),
        ask=("kill -9 1234", "kill $(pgrep node)"),
        forbid=("kill -9 -1",),
    ),
    Program(
        "pkill killall killall5 skill slay xkill wkill taskkill fkill kill-port",
        rules=(Rule("!-l|--list|-V", "kill"),),
        ask=("pkill -f node", "killall process"),
        allow=("pkill --help",),
    ),
    Program("atrm lprm ipcrm cancel", rules=(Rule("", "kill"),), quiet=True, ask=("atrm 3", "ipcrm -a")),
    Program("renice cpulimit", rules=(Rule("", "service"),), quiet=True, ask=("renice -20 1",)),
    Program(
        "Stop-Computer Restart-Computer pmset", rules=(Rule("!~-g", "power"),), quiet=True, forbid=("Stop-Computer",)
    ),
    Program(
        "Stop-Process Stop-Service Clear-Disk Format-Volume Remove-Partition Set-ExecutionPolicy wsl tmutil",
        rules=(Rule("!-l|--list|--status|-Path", "settings"),),
        quiet=True,
        dry="--help --version list status -l --list",
        ask=("Stop-Service x", "wsl --unregister Ubuntu"),
        allow=("wsl --list",),
    ),
    Program(
        "fuser",
        rules=(Rule("-k|--kill", "kill"),),
        only_reads=True,
        allow=("fuser 80/tcp",),
        ask=("fuser -k 5432/tcp",),
    ),
    Program(
        "shutdown reboot halt poweroff telinit init runit-init openrc-shutdown kexec",
        values="--when -m",
        reader=_power,
        dry="--help --version --dry-run",
        allow=("reboot --help",),
        ask=("shutdown -c",),
        forbid=("shutdown -h now", "reboot", "telinit 6", "init 0", "poweroff -f"),
    ),
    Program("pm-suspend pm-hibernate systemctl-suspend", rules=(Rule("", "power"),), forbid=("pm-hibernate",)),
    Program(
        "systemctl",
        values="-t --type --state -p --property -H --host -M --machine -n --lines -o --output --when --root -s"
        " --signal",
        rules=(
            Rule(f"{_STATES}|suspend|hibernate|hybrid-sleep|exit", "power"),
            Rule("isolate", "service"),
            Rule(
                "stop|disable|mask|kill|restart|try-restart|reload-or-restart|condrestart|force-reload"
                "|clean|freeze|revert|reset-failed",
                "service",
            ),
            Rule(
                "daemon-reexec|set-default|switch-root|default|unset-environment|link|preset|preset-all|reenable",
                "service",
            ),
            Rule(
                "enable|edit|add-wants|add-requires|set-property|unmask|set-environment"
                "|import-environment|mount-image|bind",
                "persistence",
            ),
        ),
        allow=("systemctl status ssh", "systemctl list-units", "systemctl --user status x"),
        ask=("systemctl stop sshd", "systemctl enable evil", "systemctl restart nginx"),
        forbid=("systemctl poweroff", "systemctl reboot"),
    ),
    Program(
        "service rc-service sv initctl rc-update update-rc.d chkconfig invoke-rc.d svcadm runsvdir brew-services",
        rules=(
            Rule(
                "* stop|restart|reload|disable|delete|del|force-stop|down|off|remove|enable|add|defaults",
                "service",
            ),
            Rule("stop|restart|down|disable|delete|del|remove|exit|term|kill|off", "service"),
            Rule("--del|--level", "service"),
        ),
        allow=("service nginx status",),
        ask=("service nginx stop", "update-rc.d x remove"),
    ),
    Program(
        "apachectl apache2ctl httpd nginx caddy haproxy php-fpm",
        values="-s -k -c -f",
        rules=(Rule("stop|graceful-stop|restart", "service"), Rule("-k|-s", "service")),
        quiet=True,
        allow=("nginx -t", "apachectl configtest"),
        ask=("nginx -s stop", "apachectl stop"),
    ),
    Program(
        "loginctl",
        rules=(
            Rule(f"{_STATES}|suspend|hibernate", "power"),
            Rule("^terminate|kill|lock|enable|disable|attach|flush", "service"),
        ),
        allow=("loginctl list-sessions",),
        ask=("loginctl terminate-user alice",),
    ),
    Program(
        "launchctl",
        rules=(
            Rule("load|bootstrap|submit|enable|kickstart", "persistence"),
            Rule("unload|bootout|remove|disable|kill|stop|setenv|unsetenv", "service"),
            Rule("reboot", "power"),
        ),
        allow=("launchctl list",),
        ask=("launchctl load ~/Library/LaunchAgents/x.plist", "launchctl kickstart -k gui/501/x"),
    ),
    Program(
        "dbus-send busctl gdbus qdbus",
        rules=(),
        quiet=True,
        reader=lambda call, _arguments: _bus(call),
        allow=("qdbus org.kde.Solid.PowerManagement /x y.setBrightness 5",),
        forbid=("dbus-send --dest=org.freedesktop.login1 /x org.freedesktop.login1.Manager.PowerOff boolean:true",),
    ),
    Program(
        "crontab incrontab fcrontab",
        reader=_crontab,
        allow=("crontab -l",),
        ask=("crontab -r", "crontab x.txt", "(crontab -l; echo '* * * * * ls') | crontab -"),
    ),
    Program(
        "pm2 supervisorctl monit forever circusctl god",
        rules=(
            Rule(
                "delete|kill|stop|shutdown|unmonitor|stopall|remove|startup|reset|flush|cleanlogs|quit",
                "kill",
            ),
        ),
        allow=("pm2 list", "supervisorctl status"),
        ask=("pm2 delete all", "supervisorctl stop x"),
    ),
    Program(
        "tmux byobu",
        values="-t -s -n -c -F -L -S -x -y -f -e",
        rules=(Rule("^kill", "kill"),),
        reader=_tmux,
        allow=("tmux ls", "tmux new -s x", "tmux attach -t x"),
        ask=("tmux kill-server", "tmux new-session -d 'git clean -fdx'"),
        forbid=("tmux new-session -d 'rm -rf /'", "tmux send-keys -t 0 'rm -rf /' Enter"),
    ),
    Program(
        "hermes handiwork hw openclaw claude-gateway",
        rules=(
            Rule("gateway|service|daemon|update|upgrade|uninstall|stop|restart|kill|self-update|reset|undo", "self"),
            *(
                Rule(when, "self", why="it changes what an agent may do ({0})")
                for when in (
                    *("policy|config set|add|remove|edit|trust|unset", "policy|hooks import", "skills trust"),
                    *("plugins|tools enable|disable|install", "sessions answer", "--yes|--yolo"),
                )
            ),
        ),
        allow=("hermes --version", "handiwork tools list", "hw --help", "handiwork policy test 'rm x'"),
        ask=(
            *("hermes gateway restart", "hermes update", "handiwork policy add x", "hw policy trust"),
            *("python3 -m handiwork policy trust", "handiwork run x --yes", "handiwork sessions answer a yes"),
        ),
    ),
)

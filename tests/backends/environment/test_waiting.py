"""Waiting for a text, a port, an end."""

import socket
import threading
import time

import pytest

from handiwork.backends.environment.local import LocalEnvironment
from handiwork.backends.environment.waiting import Wanted, wait_for
from handiwork.core.cancel import CancelToken
from handiwork.core.types import Command


@pytest.fixture
def env(tmp_path):
    environment = LocalEnvironment(tmp_path)
    yield environment
    environment.close()


@pytest.fixture
def wait(env):
    def wait_until(process, seconds=5.0, cancel=None, **wanted):
        return wait_for(process, Wanted(**wanted), seconds, environment=env, cancel=cancel)

    return wait_until


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def test_a_text_is_waited_for_from_an_offset_on(env, wait):
    process = env.spawn(Command("echo ready; read x; echo ready; sleep 30", cwd="/"))
    assert wait(process, text="ready") == "text"
    after = process.output()[1]
    assert wait(process, 0.2, text="ready", offset=after) == "nothing"
    process.write("\n")
    assert wait(process, text="ready", offset=after) == "text"


@pytest.mark.integration
def test_a_text_printed_in_pieces_is_found(env, wait):
    process = env.spawn(Command("printf rea; sleep 0.2; printf dy; sleep 30", cwd="/"))
    assert wait(process, text="ready") == "text"


def test_an_end_ends_every_wait(env, wait):
    process = env.spawn(Command("sleep 0.1; exit 2", cwd="/"))
    assert wait(process, text="never") == "end"
    assert wait(env.spawn(Command("echo last words", cwd="/")), text="last words") == "text"


@pytest.mark.integration
def test_a_port_is_waited_for(env, wait):
    port = free_port()
    server = f"python3 -m http.server --bind 127.0.0.1 {port}"
    process = env.spawn(Command(f"sleep 0.2; exec {server}", cwd="/"))
    begin = time.monotonic()
    assert wait(process, 20, port=port) == "port"
    assert time.monotonic() - begin >= 0.2
    socket.create_connection(("127.0.0.1", port), 2).close()
    process.kill()
    assert wait(process, port=port) == "end"


def test_a_cancel_is_heard(env, wait):
    process, token = env.spawn(Command("sleep 30", cwd="/")), CancelToken()
    threading.Timer(0.1, token.cancel).start()
    begin = time.monotonic()
    assert wait(process, 20, token, text="x") == "nothing"
    assert time.monotonic() - begin < 2

"""One person is asked one thing at a time, and nothing for those who were stopped."""

from __future__ import annotations

import threading
import time

from handiwork.agent.asking import InTurn
from handiwork.core.cancel import CancelToken
from handiwork.core.types import Ask, Ready, Scope, ToolCall


def ready(cancel=None):
    return Ready(ToolCall("t", scope=Scope(cancel=cancel)), None, {})


def test_questions_come_one_after_the_other():
    asked, most = 0, 0

    def person(ready, ask):
        nonlocal asked, most
        asked += 1
        most = max(most, asked)
        time.sleep(0.02)
        asked -= 1
        return True

    approver = InTurn(person)
    threads = [threading.Thread(target=approver, args=(ready(), Ask("why"))) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_for_one_that_was_stopped_nobody_is_asked():
    asked = []
    approver = InTurn(lambda ready, ask: asked.append(ready) or True)
    cancel = CancelToken()
    assert approver(ready(cancel), Ask("why")) is True
    cancel.cancel()
    assert approver(ready(cancel), Ask("why")) is False and len(asked) == 1


def test_an_approver_that_is_a_coroutine_is_handed_on():
    async def person(ready, ask):
        return True

    said = InTurn(person)(ready(), Ask("why"))
    assert hasattr(said, "__await__")
    said.close()

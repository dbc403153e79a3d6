"""The list of tools that a session shows: it loses anywhere and gains at its end."""

from __future__ import annotations

from handiwork.agent.offer import Offer


def define(*names, text="x"):
    return [{"type": "function", "function": {"name": name, "description": text}} for name in names]


def test_what_is_new_follows_in_the_order_in_which_it_comes():
    answers = [define("b", "d"), define("a", "b", "d", "z", "c"), define("a", "d", "z", "c")]
    offer = Offer(lambda: answers.pop(0))
    assert [[d["function"]["name"] for d in offer.renew()] for _ in range(3)] == [
        ["b", "d"],
        ["b", "d", "a", "z", "c"],
        ["d", "a", "z", "c"],
    ]
    assert offer.names() == {"a", "c", "d", "z"}


def test_what_changed_leaves_its_place():
    answers = [define("a", "b"), [*define("a", text="y"), *define("b")]]
    offer = Offer(lambda: answers.pop(0))
    offer.renew()
    assert [d["function"]["name"] for d in offer.renew()] == ["b", "a"]

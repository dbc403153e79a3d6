"""What is left out under a budget, in which order, and what never is."""

from __future__ import annotations

import pytest

from handiwork.catalog.deferral import left_out


@pytest.fixture
def out(registry, add):
    prices = {}

    def put(name, toolset, price, **options):
        add(name, toolset=toolset, **options)
        prices[name] = price

    put("read_file", "file", 100)
    put("marked", "file", 10, defer=True)
    put("browser_a", "browser", 50)
    put("browser_b", "browser", 50)
    put("ha_state", "homeassistant", 40)
    put("big", "mcp-big", 300)
    put("small", "mcp-small", 20)
    return lambda budget: left_out(registry.entries(), lambda e: prices[e.name], budget)


@pytest.mark.parametrize(
    ("budget", "names"),
    [
        (570, set()),
        (569, {"marked"}),
        (560, {"marked"}),
        (559, {"marked", "big"}),
        (259, {"marked", "big", "small"}),
        (239, {"marked", "big", "small", "ha_state"}),
        (199, {"marked", "big", "small", "ha_state", "browser_a", "browser_b"}),
        (0, {"marked", "big", "small", "ha_state", "browser_a", "browser_b"}),
    ],
)
def test_marked_then_strangers_then_the_least_usual_and_never_the_core(out, budget, names):
    assert out(budget) == names

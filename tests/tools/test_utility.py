import json

from handiwork import registry
from handiwork.tools import utility


def test_calculating_through_the_registry():
    answer = json.loads(registry.dispatch("calculate", {"expression": "0.1 + 0.2"}))
    assert answer == {"expression": "0.1 + 0.2", "result": 0.3}
    assert "division by zero" in json.loads(registry.dispatch("calculate", {"expression": "1/0"}))["error"]
    assert utility.calculate("2**10")["result"] == 1024
    assert registry.get("calculate").toolset == "utility"

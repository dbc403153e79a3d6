"""The system prompt: the same bytes for the same input, AGENTS.md nearest last."""

from __future__ import annotations

from pathlib import Path

from handiwork.agent.offer import Offer
from handiwork.agent.prompt import build_prompt, read_guides

GOLDEN = Path(__file__).parent / "prompt.golden.txt"


def definition(name, text="Does it. And more.", required=("a",)):
    parameters = {"type": "object", "properties": {"a": {}, "b": {}}, "required": list(required)}
    return {"type": "function", "function": {"name": name, "description": text, "parameters": parameters}}


def test_golden():
    tools = [definition("read_file"), definition("terminal", "Run a command\nin a shell.", ())]
    assert build_prompt(tools, cwd="/w/sub", workspace="/w", guides="Use tabs.") == GOLDEN.read_text()


def test_guides_come_from_the_workspace_down_the_nearest_last(tmp_path):
    for folder, text in [("", "top"), ("a", "middle"), ("a/b", "near"), ("c", "elsewhere")]:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "AGENTS.md").write_text(text)
    assert read_guides(str(tmp_path / "a" / "b"), str(tmp_path)) == "top\n\nmiddle\n\nnear"
    assert read_guides(str(tmp_path), str(tmp_path)) == "top"
    assert read_guides(str(tmp_path / "c"), "") == "elsewhere"


def test_guides_are_bounded_and_may_be_absent(tmp_path):
    assert read_guides(str(tmp_path), str(tmp_path)) == ""
    (tmp_path / "AGENTS.md").write_bytes(b"\xff" * 100_000)
    assert len(read_guides(str(tmp_path), str(tmp_path))) == 32_000


def test_an_offer_never_moves_what_stays():
    shown = [definition("b"), definition("d")]
    offer = Offer(lambda: shown)
    offer.renew()
    shown = [definition("a"), definition("b"), definition("c"), definition("d")]
    assert [d["function"]["name"] for d in offer.renew()] == ["b", "d", "a", "c"]
    shown = [definition("a"), definition("b", "changed"), definition("d")]
    assert [d["function"]["name"] for d in offer.renew()] == ["d", "a", "b"]
    assert offer.names() == {"a", "b", "d"}

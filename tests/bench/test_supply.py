"""The measurement of fewer tools: its sample, its grading and its figures, on a small benchmark made up here."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from typing import Any

import pytest
import supply
import supply_data
import supply_table

from handiwork.backends.models.table import Place, open_model
from handiwork.core.types import ToolCall


def _tool(name: str, **properties: str) -> dict[str, Any]:
    inner = {key: {"type": kind, "description": key} for key, kind in properties.items()}
    parameters = {"type": "dict", "properties": inner, "required": list(inner)}
    return {"name": name, "description": f"Works out the {name.replace('.', ' ')}.", "parameters": parameters}


@pytest.fixture
def wheel() -> zipfile.ZipFile:
    """Forty questions, each with a right tool and one beside it, in BFCL's form."""
    rows, truths = [], []
    for number in range(40):
        right, other = _tool(f"height.of{number}", tower="string", floors="float"), _tool(f"other.of{number}", x="any")
        text = f"What is the height of{number}?"
        rows.append({"id": f"multiple_{number}", "question": [[{"role": "user", "content": text}]]})
        rows[-1]["function"] = [other, right]
        accepted = {"tower": ["Eiffel", "La tour"], "floors": [3, ""]}
        truths.append({"id": f"multiple_{number}", "ground_truth": [{right["name"]: accepted}]})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as made:
        for name, what in (("", rows), ("possible_answer/", truths)):
            made.writestr(f"bfcl_eval/data/{name}BFCL_v4_multiple.json", "\n".join(map(json.dumps, what)))
    return zipfile.ZipFile(packed)


def test_the_pool_holds_every_right_tool_and_is_filled_up(wheel: zipfile.ZipFile) -> None:
    shelf, questions = supply_data.sample(wheel, 6, 20, 1)
    assert len(questions) == 6
    assert len(shelf.schemas) == 20
    assert {q.right for q in questions} <= shelf.schemas.keys()
    assert supply_data.sample(wheel, 6, 20, 1)[1] == questions
    assert supply_data.sample(wheel, 6, 20, 2)[1] != questions


def test_selections_keep_the_pools_order(wheel: zipfile.ZipFile) -> None:
    shelf, questions = supply_data.sample(wheel, 6, 20, 1)
    order = list(shelf.schemas)
    for condition, most in (("all", 20), ("found", 5), ("group", 8)):
        for question in questions:
            names = [tool["function"]["name"] for tool in shelf.selection(condition, question)]
            assert names == [name for name in order if name in names]
            assert question.right in names
            assert 0 < len(names) <= most


@pytest.mark.parametrize(
    ("arguments", "right"),
    [
        ('{"tower": "La tour", "floors": 3}', True),
        ('{"tower": "Eiffel", "floors": "3"}', True),  # repaired
        ('{"tower": "Eiffel", "floors": 4}', False),
        ('{"tower": "Eiffel", "floors": 3, "more": 1}', False),
        ('{"floors": 3}', False),
        ('{"tower": "Eiffel", "flo', False),
    ],
)
def test_arguments_are_graded_after_repair(wheel: zipfile.ZipFile, arguments: str, right: bool) -> None:
    shelf, questions = supply_data.sample(wheel, 6, 20, 1)
    call = ToolCall(questions[0].right, arguments)
    assert shelf.grade(call, questions[0]) == (True, right)
    assert shelf.grade(call, questions[1]) == (False, False)
    assert shelf.grade(None, questions[0]) == (False, False)


def test_a_model_is_measured_and_the_file_is_gone_on_from(wheel: zipfile.ZipFile, tmp_path) -> None:
    shelf, questions = supply_data.sample(wheel, 1, 20, 1)
    call = {"calls": [{"name": questions[0].right, "arguments": {"tower": "Eiffel", "floors": 3}}]}
    script, kept = tmp_path / "replies.json", tmp_path / "rows.json"
    script.write_text(json.dumps(["Hello.", call, "No call.", call]))
    record = supply.Record(kept, {"seed": 1})
    asyncio.run(supply.measure(f"scripted:{script}", shelf, questions, record))
    again = supply.Record(kept, {"seed": 1})
    assert [row["right_arguments"] for row in again.rows] == [True, False, True]
    script.unlink()  # nothing is left to ask
    asyncio.run(supply.measure(f"scripted:{script}", shelf, questions, again))
    assert supply.Record(kept, {"seed": 2}).rows == []


def test_an_error_of_the_model_is_a_row_of_its_own(wheel: zipfile.ZipFile, tmp_path) -> None:
    shelf, questions = supply_data.sample(wheel, 1, 20, 1)
    script = tmp_path / "replies.json"
    script.write_text("[]")
    model = open_model(f"scripted:{script}", Place(tmp_path))
    row = asyncio.run(supply.ask(model, shelf, questions[0], "all"))
    assert (row["right_tool"], bool(row["error"])) == (False, True)


def test_intervals_and_chances() -> None:
    assert supply_table.wilson(8, 10) == pytest.approx((0.490, 0.943), abs=0.001)
    assert supply_table.wilson(0, 10) == pytest.approx((0.0, 0.278), abs=0.001)
    assert supply_table.sign_test(0, 0) == 1.0
    assert supply_table.sign_test(6, 0) == pytest.approx(2 / 64)
    assert supply_table.sign_test(3, 3) == 1.0


def test_the_page_gets_its_table(tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- measured -->\nold\n<!-- end of measured -->\nb\n")
    supply_table.write_into(page, "new")
    supply_table.write_into(page, "newer")
    assert page.read_text() == "a\n<!-- measured -->\n\nnewer\n\n<!-- end of measured -->\nb\n"
    page.write_text("nothing")
    with pytest.raises(ValueError, match="measured"):
        supply_table.write_into(page, "new")

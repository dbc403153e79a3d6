import pytest

from handiwork.backends.files.syntax import problem_of

RIGHT = {
    "a.json": '{"a": [1, 2.5, null]}\n',
    "A.JSON": "[]",
    "a.yaml": "a: 1\nb: [x, y]\n---\nc: !custom {d: 1}\n",
    "a.yml": "",
    "a.toml": 'a = 1\n[b]\nc = "x"\n',
    "a.py": 'import x\nassert "\\d"\nasync def f():\n    await x\n',
    "a.pyi": "def f(x: int) -> str: ...\n",
    "a.js": "function (",
    "Makefile": "{",
    ".json": "{}",
}
WRONG = {
    ("a.json", '{\n  "a": 1,\n  "b" 2\n}'): (3, 7),
    ("a.json", "{'a': 1}"): (1, 2),
    ("a.json", ""): (1, 1),
    ("a.ipynb", "{]"): (1, 2),
    ("a.yaml", "a: 1\nb: [x\nc: 2\n"): (3, 2),
    ("a.yml", "a:\n\t- b\n"): (2, 1),
    ("a.toml", "a = 1\nb = \n"): (2, 5),
    ("a.toml", "a = [1,\n"): (2, 1),
    ("a.py", "x = 1\ndef f(:\n    pass\n"): (2, 7),
    ("a.py", "if x:\nprint(1)\n"): (2, 1),
    ("a.py", "print 1\n"): (1, 1),
}


@pytest.mark.parametrize("name", RIGHT)
def test_right_texts_and_other_kinds_pass(name, recwarn):
    assert problem_of(name, RIGHT[name]) is None and not recwarn


@pytest.mark.parametrize(("name", "text"), WRONG)
def test_a_fault_is_told_with_its_place(name, text):
    problem = problem_of(name, text)
    assert problem is not None and (problem.line, problem.column) == WRONG[name, text], str(problem)
    assert f"line {problem.line}, column {problem.column}" in str(problem)


def test_what_is_nested_too_deep_or_too_long_is_not_judged():
    assert problem_of("a.json", "[" * 100_000) is None
    assert problem_of("a.py", "(" * 5_000 + ")" * 5_000) is None or "nested" in str(
        problem_of("a.py", "(" * 5_000 + ")" * 5_000)
    )
    assert problem_of("a.json", "{" + " " * (1 << 20)) is None

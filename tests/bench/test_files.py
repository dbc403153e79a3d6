"""The bench of files measures every row, and only what really read and wrote."""

import sys

import files as bench
import pytest


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("bench")
    bench.lay_out(place)
    return place


@pytest.mark.integration
@pytest.mark.parametrize("side", ["ours", "plain"])
def test_every_row_has_a_figure(folder, side, capsys):
    figures = bench.probe(side, sys.executable, folder)
    assert isinstance(figures, dict), figures
    assert set(figures) == {f"read {n}" for n in bench.READS} | {f"write {n}" for n in bench.WRITES}
    assert all(value > 0 for value in figures.values())
    bench.show({side: figures, "other": "it has failed"})
    assert "write 1 MB" in capsys.readouterr().out


@pytest.mark.integration
def test_an_answer_without_the_text_is_no_figure(folder):
    with pytest.raises(AssertionError, match="isn't in the answer"):
        bench.measure(lambda path: "", lambda path, text: "", folder)

"""The picture shows the transcript that is kept beside it, and the drawing loses nothing."""

from __future__ import annotations

from xml.etree import ElementTree

import picture


def _texts(svg: str) -> list[str]:
    lines = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(line.itertext()) for line in lines]


def test_the_picture_is_drawn_from_the_transcript() -> None:
    assert picture.draw(picture.TRANSCRIPT.read_text("utf-8")) == picture.PICTURE.read_text("utf-8")


def test_colours_become_fills_and_control_characters_go() -> None:
    svg = picture.draw("\x1b[36m●\x1b[0m read <&> \x1b[2K\x07done\n")
    assert _texts(svg) == ["● read <&> done"]
    assert f'fill="{picture.COLOURS["36"]}">●' in svg


def test_a_long_line_is_broken_at_a_blank() -> None:
    words = "word " * 60
    lines = _texts(picture.draw(f"\x1b[2m{words}\x1b[0m\n"))
    assert len(lines) > 1
    assert all(len(line) <= picture.COLUMNS for line in lines)
    assert " ".join(lines).split() == words.split()


def test_a_command_is_recorded_as_a_terminal_shows_it(tmp_path) -> None:
    assert picture.on_terminal(["test", "-t", "1"], str(tmp_path)) == ""
    assert picture.on_terminal(["pwd"], str(tmp_path)).strip() == str(tmp_path)

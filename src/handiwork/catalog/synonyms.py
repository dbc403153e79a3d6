"""Words that tools and people use for the same thing: a line is a group, and a word may stand in several.

A text that has only another word of the group counts for a third of what the word itself would.
"""

from __future__ import annotations

from functools import cache

from .words import stem

_GROUPS = """
get fetch retrieve obtain read view show display lookup
find search query lookup discover locate explore
create make new generate build produce add
add append insert attach
delete remove erase drop clear cancel
update edit modify change set adjust alter
compute calculate evaluate determine estimate
list enumerate
send post submit deliver share
write save store record
open launch start run execute
close stop end quit shut
begin start
convert transform translate exchange
book reserve reservation booking
buy purchase order shop
summary summarize
compare comparison versus
image picture photo photograph
folder directory
file document
film movie
trend trending hot popular rank ranking top
song music track tune
car vehicle automobile
doctor physician
restaurant eat dining food
recipe cook cooking dish meal
weather forecast temperature climate
price cost fee rate charge
money currency cash
dollar usd currency
euro eur currency
yen jpy currency
stock share equity
email mail
message chat text
web internet online website site url page
location place address
route direction navigation path
near nearby close around closest nearest
person people user contact
job career work
flight plane airplane
hotel accommodation lodging stay room
event concert show
ticket issue
schedule calendar appointment meeting
article news headline
paper publication research
ppt powerpoint presentation slide
word docx document
excel spreadsheet sheet workbook
chart graph plot diagram
average mean
size dimension
multiply product times
sum total plus
integral integrate
"""


@cache
def synonyms() -> dict[str, frozenset[str]]:
    """The stems that stand in a group with each stem."""
    found: dict[str, set[str]] = {}
    for line in _GROUPS.split("\n"):
        group = {stem(word) for word in line.split()}
        for word in group:
            found.setdefault(word, set()).update(group - {word})
    return {word: frozenset(others) for word, others in found.items()}

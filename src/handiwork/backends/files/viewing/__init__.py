"""Files as they are shown: pages of text, what is in other formats, what was seen already."""

"""Collection of labelled links: the breadth-first walk, its labels, and their file."""

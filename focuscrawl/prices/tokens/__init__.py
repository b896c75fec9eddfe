"""Tokens of the lines of a bulletin: figures, units, known words, brackets."""

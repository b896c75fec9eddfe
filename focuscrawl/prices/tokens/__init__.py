"""Lines of a bulletin as tokens: figures, units, known words, brackets."""

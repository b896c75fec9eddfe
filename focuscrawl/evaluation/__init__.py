"""How good a link classifier is: recorded data, splits, figures, baselines, tables and pictures."""

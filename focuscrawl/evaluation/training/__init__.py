"""Training of the shipped classifiers, and their model cards."""

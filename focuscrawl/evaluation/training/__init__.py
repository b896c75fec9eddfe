"""Training of the shipped classifiers, and the model card of each."""

"""Records in the one form that every store keeps, and what a batch of them changes."""

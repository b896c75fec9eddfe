"""Records in the form that all stores share, and the changes that a batch of them makes."""

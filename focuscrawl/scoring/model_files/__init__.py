"""Files of trained classifiers: reading, writing, installing and choosing them."""

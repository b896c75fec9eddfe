"""A small web of our own writing, served on 127.0.0.1."""

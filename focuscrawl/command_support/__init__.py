"""Shared parts of the commands: base classes, exit codes, one-line errors."""

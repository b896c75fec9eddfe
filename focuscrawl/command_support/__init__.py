"""Shared parts of the sub-commands: base classes, exit codes, mistakes as one line."""

"""Accounts of the web views: users, passwords, sessions, and the log of what they changed."""

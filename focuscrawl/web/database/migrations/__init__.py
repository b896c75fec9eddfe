"""Revisions of the schema of the web views, run by Alembic."""

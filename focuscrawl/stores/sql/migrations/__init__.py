"""Revisions of the SQL schema, run by Alembic."""

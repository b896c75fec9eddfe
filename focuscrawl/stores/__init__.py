"""Stores of records: SQLite, MySQL, MariaDB and MongoDB behind the same protocols."""

"""Stores of records: SQLite, MySQL, MongoDB and the workbook behind one protocol."""

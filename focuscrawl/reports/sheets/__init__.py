"""Sheets of the workbook, one module per sheet, and their cells."""

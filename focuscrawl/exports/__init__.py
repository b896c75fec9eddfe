"""Records as flat rows in files: CSV, JSON lines, Parquet, workbook."""

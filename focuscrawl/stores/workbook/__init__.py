"""The Excel workbook at the end of a crawl, rendered from the database behind it."""

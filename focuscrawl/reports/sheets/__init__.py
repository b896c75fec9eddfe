"""The sheets of the workbook, one module a sheet, and the cells they are made of."""

"""Statistics of prices, each defined once, for the workbook, the web views and alarms."""

"""Pages of the records that templates found: lists, single records, exports."""

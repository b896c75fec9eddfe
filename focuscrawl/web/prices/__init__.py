"""Pages of prices, drawn from a snapshot of all quotes in memory."""

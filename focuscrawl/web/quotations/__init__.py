"""Pages of single prices: the marked article, editors' decisions, earlier versions."""

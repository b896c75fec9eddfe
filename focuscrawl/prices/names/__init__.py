"""Names beside prices: firms, places, and the subject that a price belongs to."""

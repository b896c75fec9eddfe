"""How the time of every reader grows with a page that repeats the words it looks for."""

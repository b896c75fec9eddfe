"""Search engines as data: how they are asked, and how their result pages are read."""

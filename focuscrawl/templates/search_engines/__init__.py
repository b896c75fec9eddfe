"""Search engines as data: their URL patterns and the layouts of their result pages."""

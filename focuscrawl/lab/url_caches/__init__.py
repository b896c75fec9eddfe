"""Simulation of caches of seen URLs on the links of a crawl (Broder, Najork & Wiener 2003)."""

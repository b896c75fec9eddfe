"""Recorded webs: WARC files read in place of the network."""

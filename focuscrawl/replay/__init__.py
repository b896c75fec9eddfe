"""Recorded webs: WARC files, recorded and replayed in place of the network."""

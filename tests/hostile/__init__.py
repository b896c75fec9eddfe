"""A hostile web on 127.0.0.1: cases that a crawl must stand, each under a host name of its own.

Every case is a generator of the bytes that go over the wire; :class:`~tests.hostile.server.HostileWeb`
serves them all, with honest sites beside them and canaries that nobody may touch.
"""

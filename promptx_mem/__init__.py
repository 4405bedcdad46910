__version__ = "0.1.0"
__released__ = "2025-01-01T00:00:00+00:00"
"""Date of the release. A system clock that shows an earlier date is wrong."""

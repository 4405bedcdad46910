"""Credentials of today's vendors, and harmless sentences that look like them; values as in fresh_rows.

The expressions were written beside FIRST and PLAIN. LATER and LATER_PLAIN were written afterwards, without a look at
the expressions; docs/decisions.md has the figures of that first look at them.
"""

from tests.detector.fresh_rows import table

FIRST = table("today_first")

PLAIN = table("today_plain")

LATER = table("today_later")

LATER_PLAIN = table("today_later_plain")

"""Whose a file or a directory must be to count: ours, root's, or of who called sudo, as with git's `safe.directory`."""

import os


def is_trusted(status: os.stat_result) -> bool:
    """Whether the owner is the user, root, or the user who called sudo."""
    if not hasattr(os, "geteuid"):
        return True
    me = os.geteuid()
    return status.st_uid in (me, 0) or (me == 0 and str(status.st_uid) == os.environ.get("SUDO_UID"))

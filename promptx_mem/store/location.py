"""Location of a command's stores: the store that the command changes, and a second store that the command also reads.

Like the folder `.git`, the project store is searched for in the working directory and its parents. A project cannot
change the path of the user store.
"""

import os

from promptx_mem.core.state import PROJECT, USER
from promptx_mem.errors import PromptxMemError, StoreError, UsageError
from promptx_mem.places import USER_STORE, is_same, is_trusted, is_user_store, store_candidates, user_store
from promptx_mem.record import NamedTuple
from promptx_mem.store import files
from promptx_mem.store.layout import DIRECTORY, ENVIRONMENT, Layout, at


class Stores(NamedTuple):
    """A command's store, a second store if there are two, and a warning if a store was left out.

    `project` is the path of the project store if the user store was selected. The project store can be missing.
    """

    layout: Layout
    other: Layout | None = None
    warning: str = ""
    project: str = ""


def locate(directory: str | None = None, scope: str | None = None, *, writes: bool = False) -> Stores:
    """Return a command's stores: the project store and an existing user store, or only that of `scope` (e.g. "user").

    `directory` or PROMPTX_MEM_DIR names the project store; otherwise it is searched for. If there is neither a store
    nor a git repository, a command that `writes` uses a new store in the working directory. Other commands use only the
    user store, if it exists. Raises UsageError or StoreError if a store cannot be used.
    """
    if scope not in (None, PROJECT, USER):
        raise UsageError(f"--scope {scope[:40]!r} is not known", hint=f"allowed: {PROJECT}, {USER}")
    if scope == USER:
        return Stores(_demand_user(), project=_project_of_user(directory))
    users, is_there, warning = _users()
    project, has_place = _project(directory, may_be_users=is_there)
    if users is None or scope == PROJECT or project.is_user:
        return Stores(project, None, "" if scope else warning)
    if not has_place and not writes:
        return Stores(users)
    return Stores(project, users)


def locate_user(directory: str | None = None) -> Stores:
    """Return the user store, which callers create if it is missing, and the project store if it exists."""
    own = _demand_user()._replace(may_write=True)
    project = _project_of_user(directory)
    return Stores(own, at(project) if project and os.path.isdir(project) else None, project=project)


def _project_of_user(directory: str | None = None) -> str:
    """Return the path for the project store; '' if there is neither a store nor a repository, or after an error."""
    try:
        project, has_place = _project(directory, may_be_users=True)
    except PromptxMemError:
        return ""
    return project.root if has_place and not project.is_user else ""


def _users() -> tuple[Layout | None, bool, str]:
    """Return the user store for reading, whether it exists or PROMPTX_MEM_USER_DIR names one, and a warning.

    The store is None if it is missing, turned off in the settings, or left out (see the warning).
    """
    place = user_store()
    is_chosen = bool(os.environ.get(USER_STORE))
    if place is None:
        return None, is_chosen, _nowhere() if is_chosen else ""
    try:
        status = os.stat(place)
    except OSError:
        return None, is_chosen, ""
    try:
        layout = _trusted(place, status)
        from promptx_mem.store import settings

        return layout if settings.of("user_store").user_store else None, True, ""
    except PromptxMemError as error:
        return None, True, f"the user store was not used: {error.in_one_line()}"


def _demand_user() -> Layout:
    """Return the user store for a command that selects it. If it is missing, `may_write` is False.

    Raises UsageError if its path is unknown or the home folder is missing, StoreError if it cannot be used.
    """
    place = user_store()
    if place is None:
        raise UsageError(_nowhere(), code="no_home", hint=f"set {USER_STORE}=/…/DIR")
    if not os.environ.get(USER_STORE) and not os.path.isdir(os.path.dirname(place)):
        parent = os.path.dirname(place)
        message = f"the user store cannot be created: there is no {parent}"
        raise UsageError(message, code="no_home", hint=f"create {parent}, or set {USER_STORE}=/…/DIR")
    try:
        status = os.stat(place)
    except OSError:
        return at(place)._replace(is_user=True, may_write=False, named=True)
    return _trusted(place, status)._replace(named=True)


def _nowhere() -> str:
    path = os.environ.get(USER_STORE)
    if path:
        return f"{USER_STORE}={path[:200]!r} is not an absolute path, so there is no user store"
    return "there is no user store: HOME is not set"


def _trusted(place: str, status: os.stat_result) -> Layout:
    """Return the layout of the user store.

    Raises StoreError if it is not a directory, or if it belongs to another user and PROMPTX_MEM_USER_DIR is not set.
    """
    if not os.environ.get(USER_STORE):
        _demand_trusted(place, status, USER_STORE)
    return at(place)._replace(is_user=True)


def _project(directory: str | None, *, may_be_users: bool) -> tuple[Layout, bool]:
    """Return the project store, and whether it is named or was found, or a git repository exists.

    If nobody named a store, find the nearest one in the working directory and its parents. If there is none, return a
    new store: at the top of the git repository, else in the working directory. `may_be_users`: skip the user store.
    """
    path = os.environ.get(ENVIRONMENT) or None if directory is None else directory
    if path is not None:
        if not path or "\0" in path:
            raise UsageError("the path of the store is empty or invalid", hint="for example: --memory-dir ./.memory")
        layout = at(os.path.abspath(os.path.expanduser(path)))._replace(named=True)
        is_user = may_be_users and is_same(layout.root, user_store())
        return layout._replace(is_user=is_user), True
    passed = ""
    try:
        cwd = os.getcwd()
    except FileNotFoundError:
        raise StoreError("the working directory no longer exists", hint="change to an existing folder") from None
    top: str | None = None
    for candidate, found in store_candidates(cwd):
        top = found
        if candidate and os.path.lexists(candidate):
            if not (may_be_users and is_user_store(candidate)):
                _demand_no_link(candidate)
                layout = at(candidate)
                _demand_trusted(candidate, os.stat(candidate), ENVIRONMENT, ", or --memory-dir")
                return layout, True
            passed = passed or candidate
    place = os.path.join(top or cwd, DIRECTORY)
    if place == passed:  # a new store would be the user store, which a writer must select explicitly
        return at(user_store() or place)._replace(is_user=True, may_write=False), top is not None
    return Layout(place), top is not None


def _demand_no_link(candidate: str) -> None:
    """Raise StoreError if a store that nobody named is a link. A link in a cloned repository could lead anywhere."""
    target = files.link_target(candidate)
    if target is not None:
        from promptx_mem.core.shell import quote

        raise StoreError(
            f"{candidate} is a symbolic link; links are followed only to a store that you name",
            hint=f"if you trust its target, name it: {ENVIRONMENT}={quote(candidate)}, or --memory-dir",
            code="link",
        )


def _demand_trusted(root: str, status: os.stat_result, variable: str, more: str = "") -> None:
    """Raise StoreError if a store that nobody named belongs neither to the user, nor to root or the caller of sudo.

    Otherwise anybody with write access to a parent folder, such as /tmp, could supply an agent's memories.
    """
    if not is_trusted(status):
        from promptx_mem.core.shell import quote

        hint = f"if you trust it, name it: {variable}={quote(root)}{more}"
        raise StoreError(f"{root} belongs to another user", code="other_user", hint=hint)

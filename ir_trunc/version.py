"""The version, in one place, and the versions of everything that scores depend on."""

from __future__ import annotations

__version__ = "0.3.0"
__all__ = ["show_versions"]


def show_versions() -> None:
    """Print the versions of ir_trunc, Python and the dependencies, and whether the kernel is used.

    Examples
    --------
    >>> import ir_trunc
    >>> ir_trunc.show_versions()  # doctest: +ELLIPSIS
    ir_trunc 0.3.0
    kernel: ...
    Python ...
    """
    import platform
    import re
    from importlib.metadata import PackageNotFoundError, requires, version

    from ir_trunc._kernel import absence

    print(f"ir_trunc {__version__}")
    print(f"kernel: {f'no, {absence}' if absence else 'yes'}")
    print(f"Python {platform.python_version()}, {platform.platform()}")
    try:
        requirements = requires("ir_trunc") or []
    except PackageNotFoundError:
        print("ir_trunc is not installed: it runs from its sources, and its dependencies are not known.")
        return
    users = [text for text in requirements if not re.search("extra == .(dev|docs|notebooks|test)", text)]
    for name in sorted({re.split(r"[^\w-]", text)[0] for text in users}):
        try:
            print(f"{name} {version(name)}")
        except PackageNotFoundError:
            if any(text.startswith(name) and "extra ==" not in text for text in users):
                print(f"{name}: not installed")

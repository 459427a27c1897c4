"""The reference is one file, and on the site a page for each family; `names` lists the names of a module."""

import re
import shutil
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

LINK = re.compile(r"\]\(((?:\.\./)*)(reference\.md)?#([\w-]+)\)")


def anchor(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def cut(app):
    """Write the pages, and remember which of them has which heading."""
    whole = (Path(app.srcdir) / "reference.md").read_text(encoding="utf-8")
    index, *parts = re.split(r"^(?=## )", whole, flags=re.M)
    while parts[0].startswith(("## Which", "## How")):
        index += parts.pop(0)
    pages = {anchor(part.splitlines()[0].removeprefix("## ")): part for part in parts}
    app.page_of = {
        anchor(title): page for page, part in pages.items() for title in re.findall(r"^##+ (.*)", part, re.M)
    }
    folder = Path(app.srcdir) / "reference"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for page, part in pages.items():
        text = re.sub(r"^#(#+ )", r"\1", part, flags=re.M)
        text = re.sub(r"\]\((?=[\w-]+\.(md|svg))", "](../", text)
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
    listed = "\n".join(f"reference/{page}" for page in pages)
    app.reference = f"{index}\n```{{toctree}}\n:maxdepth: 1\n:hidden:\n\n{listed}\n```\n"


def lead(app, docname, source):
    """Let links into reference.md lead to the pages that were cut from it."""
    if docname == "reference":
        source[0] = app.reference

    def link(found):
        up, file, heading = found.groups()
        page = app.page_of.get(heading)
        own = docname == "reference" or docname.startswith("reference/")
        if page is None or not (file or own):
            return found[0]
        return f"]({up}{'' if docname.startswith('reference/') else 'reference/'}{page}.md#{heading})"

    source[0] = LINK.sub(link, source[0])


class Names(SphinxDirective):
    """The public names of a module, with the first sentence of each."""

    required_arguments = 1

    def run(self):
        """One line for each name, as `autosummary` makes them."""
        (name,) = self.arguments
        module = import_module(name)
        names = [
            each for each in module.__all__ if isclass(value := getattr(module, each)) or isroutine(value)
        ]
        lines = "".join(f"   {name}.{each}\n" for each in sorted(names, key=str.lower))
        return self.parse_text_to_nodes(f".. autosummary::\n   :nosignatures:\n\n{lines}")


def setup(app):
    """Make them known to Sphinx."""
    app.connect("builder-inited", cut)
    app.connect("source-read", lead)
    app.connect("build-finished", lambda app, error: shutil.rmtree(Path(app.srcdir) / "reference"))
    app.add_directive("names", Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

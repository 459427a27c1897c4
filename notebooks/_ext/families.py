"""The reference is one file, and on the site a page for each family; `names` lists the names of a module."""

import json
import re
import shutil
from importlib import import_module
from inspect import isclass, isroutine
from pathlib import Path

from formulas import mathml, signs
from sphinx.util.docutils import SphinxDirective

MEASURE = re.compile(r"(?<=^### )(\w+)(\n\n(?:.+\n)+\n)```text\n((?:.+\n)+?)```\n", re.M)
USES = ("howto/*.md", "start/*.md", "*.ipynb", "gallery.md")
LINK = re.compile(r"\]\(((?:\.\./)*)(reference\.md)?#([\w-]+)\)")


REDIRECT = """<script>
const pages = %s, name = location.hash.slice(1);
if (pages[name]) location.replace(`reference/${pages[name]}.html#${name}`);
</script>"""


def anchor(title):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def typeset(srcdir):
    """A function that typesets the formula of a measure, explains its signs, and says which pages use it."""
    rows = (srcdir / "glossary.md").read_text(encoding="utf-8").partition("## Signs in the formulas")[2]
    table = re.findall(r"^\| (`.*?) \| (.*) \|$", rows, re.M)
    meanings = [
        (re.findall(r"`([^`]*)`", names), text.replace("](#", "](glossary.md#")) for names, text in table
    ]
    pages = {
        path.relative_to(srcdir): path.read_text(encoding="utf-8")
        for glob in USES
        for path in srcdir.glob(glob)
    }

    def shown(found):
        name, about, formula = found.groups()
        word = re.compile(
            rf"reference\.md#{name.lower()}\)" if len(name) < 3 else rf"(?<![\w/#@.]){name}(?!\w)"
        )
        used = {path: len(word.findall(text)) for path, text in pages.items()}
        most = sorted((path for path in used if used[path]), key=used.get, reverse=True)[:4]
        titles = [
            (re.search(r"# ([^\"\n]*?)(?:\\n)?[\"\n]", pages[path])[1], path.as_posix()) for path in most
        ]
        links = ", ".join(f"[{title}]({path})" for title, path in titles)
        used_in = f"*Used in* {links}.\n" if links else ""
        where = signs(formula, meanings)
        style = 'style="overflow-x: auto; font-size: 115%"'
        math = f"```{{raw}} html\n<div {style}>{mathml(formula.strip())}</div>\n```\n"
        return (
            f"{name}{about}{math}\n*Here* {where}.\n\n{used_in}"
            if where
            else f"{name}{about}{math}\n{used_in}"
        )

    return shown


def cut(app):
    """Write the pages, and remember which of them has which heading."""
    whole = (Path(app.srcdir) / "reference.md").read_text(encoding="utf-8")
    index, *parts = re.split(r"^(?=## )", MEASURE.sub(typeset(Path(app.srcdir)), whole), flags=re.M)
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
        text = re.sub(r"\]\((?=[\w/-]+\.(md|svg|ipynb))", "](../", text)
        (folder / f"{page}.md").write_text(text, encoding="utf-8")
    listed = "\n".join(f"reference/{page}" for page in pages)
    script = REDIRECT % json.dumps(app.page_of)
    index += f"\n```{{raw}} html\n{script}\n```\n"
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

"""Pictures in SVG that hold links to other pages are put into the page itself: in an <img> no link works."""

import html
import re
from pathlib import Path

from docutils import nodes

STYLE = "width: 100%; height: auto; stroke-linejoin: round; stroke-linecap: butt"
LINK = re.compile(r'xlink:href="([\w-]+)\.html(#[\w-]+)"')


def inline(app, doctree, docname):
    """Replace each such picture by its SVG, with links from this page."""
    if app.builder.format != "html":
        return
    for image in list(doctree.findall(nodes.image)):
        file = Path(app.srcdir) / image["uri"]
        if file.suffix != ".svg" or not LINK.search(text := file.read_text(encoding="utf-8")):
            continue

        def link(found):
            page, heading = found.groups()
            part = app.page_of.get(heading[1:]) if page == "reference" else None
            target = f"{page}/{part}" if part else page
            return f'href="{app.builder.get_relative_uri(docname, target)}{heading}"'

        svg = LINK.sub(link, text[text.index("<svg") :])
        svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', f'style="{STYLE}"', svg, count=1)
        # A style in the middle of a page would be the whole page's.
        svg = re.sub(r"<(metadata|style)\b.*?</\1>", "", svg, flags=re.DOTALL)
        page = f'<figure aria-label="{html.escape(image.get("alt", ""))}">{svg}</figure>'
        image.replace_self(nodes.raw("", page, format="html"))


def setup(app):
    """Make it known to Sphinx."""
    app.connect("doctree-resolved", inline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

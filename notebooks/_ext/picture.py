"""The directive `picture`: some lines of Python, and the picture that their last expression draws.

A page of several pictures begins with a thumbnail of each, which leads to its code.
"""

import ast
import base64
import html
import io

from docutils import nodes
from docutils.parsers.rst import Directive

GRID = "display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: 1.2rem 1rem"


def drawn(code: str) -> object:
    """The figure of the Axes that the last expression of the code returns."""
    *before, last = ast.parse(code).body
    names: dict[str, object] = {}
    exec(compile(ast.Module(before, []), "<picture>", "exec"), names)
    return eval(compile(ast.Expression(last.value), "<picture>", "eval"), names).figure


def image(figure: object, dpi: int, alt: str = "") -> str:
    """The figure as an element that holds its PNG."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    data = base64.b64encode(file.getvalue()).decode()
    return f'<img alt="{html.escape(alt)}" src="data:image/png;base64,{data}">'


class Picture(Directive):
    """`{picture} What one sees`, with the code as content."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        """What one sees, the code as a listing, then the picture."""
        code, caption = "\n".join(self.content), self.arguments[0]
        figure = drawn(code)
        picture = nodes.raw("", image(figure, 110, caption), format="html", thumbnail=image(figure, 40))
        listing = nodes.literal_block(code, code, language="python")
        return [nodes.paragraph(caption, caption), listing, picture]


def begin(app, doctree):
    """Put the thumbnails above the first section with a picture."""
    pictures = list(doctree.findall(lambda node: isinstance(node, nodes.raw) and "thumbnail" in node))
    if len(pictures) < 2:
        return
    grid = ""
    for raw in pictures:
        title, caption = (html.escape(node.astext()) for node in raw.parent[:2])
        link = f'<a href="#{raw.parent["ids"][0]}">{raw["thumbnail"]}<br>{title}</a>'
        grid += f"<div>{link}<br><small>{caption}</small></div>"
    first = pictures[0].parent
    first.parent.insert(
        first.parent.index(first), nodes.raw("", f'<div style="{GRID}">{grid}</div>', format="html")
    )


def setup(app):
    """Make the directive known to Sphinx."""
    app.add_directive("picture", Picture)
    app.connect("doctree-read", begin)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""How the documentation is built: `sphinx-build -W notebooks site`, with the packages of the extra `docs`."""

import os
import sys
import warnings
from pathlib import Path

import ir_trunc

warnings.filterwarnings("ignore", category=ir_trunc.IrTruncWarning)  # of the generated runs in the gallery
sys.path.append(str(Path(__file__).parent / "_ext"))

project = "ir_trunc"
author = "The ir_trunc developers"
copyright = author
release = ir_trunc.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.intersphinx",
    "sphinx_copybutton",
    "sphinx_design",
    "families",
    "picture",
    "play",
    "linked",
    "searched",
]
exclude_patterns = ["**.ipynb_checkpoints", "site", "_ext"]
nb_execution_mode = "off"  # notebooks are committed with their outputs
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"  # numpydoc shows the types that the docstrings give
autosummary_generate = True
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False
# Inventories are fetched where there is a network: on the documentation's own builder.
intersphinx_mapping = (
    {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "pandas": ("https://pandas.pydata.org/docs", None),
        "pyterrier": ("https://pyterrier.readthedocs.io/en/latest", None),
        "ir_measures": ("https://ir-measur.es/en/latest", None),
    }
    if os.environ.get("READTHEDOCS") or os.environ.get("GITHUB_ACTIONS")
    else {}
)

default_role = "code"
html_theme = "pydata_sphinx_theme"
html_title = "ir_trunc"
html_show_sourcelink = False
html_favicon = "_ext/icon.svg"
html_static_path = ["_ext/site.css", "_ext/any_word.js"]
html_css_files = ["site.css"]
html_js_files = ["any_word.js"]
html_context = {"default_mode": "auto"}
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": True, "header_links_before_dropdown": 6}


def setup(app):
    """Measures are described in the reference; the API leaves them out."""
    from ir_measures import Measure

    def skipped(app, what, name, obj, skip, options):
        return skip or isinstance(obj, Measure)

    app.connect("autodoc-skip-member", skipped)

"""The registries as they are, whatever a piece of code declares."""

import importlib
import importlib.util
from contextlib import contextmanager


@contextmanager
def kept():
    """Measures, policies and procedures that are declared inside are taken back at the end."""
    import ir_measures

    from ir_trunc._scoring.objects import objects
    from ir_trunc.measures import declaration

    ours = (declaration.registry, declaration._aliases, objects)
    further = [name for name in ("ir_trunc.meta", "ir_trunc.truncation") if importlib.util.find_spec(name)]
    others = [importlib.import_module(name).registry for name in further]
    known = (*ours, *others, ir_measures.measures.registry)
    before = [dict(names) for names in known]
    try:
        yield
    finally:
        for names, own in zip(known, before):
            names.clear()
            names.update(own)

"""The policies: a module a family, a decorated class a policy. Importing this package fills the registry.

A policy is a frozen value. `fit` returns a policy whose parameter is the best for a measure on training
topics; a parameter that was given stays as it is. `cut` returns the length that each list should have. It
uses scores and lengths only, unless `sees_judgments` is true.
"""

from importlib import import_module
from pkgutil import iter_modules

__all__: list[str] = []

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

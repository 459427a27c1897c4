"""The policies: a module a family, a decorated class a policy. Importing this package fills the registry."""

from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

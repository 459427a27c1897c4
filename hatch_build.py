"""What hatchling does beyond packing: it compiles the kernel, and makes the links of README absolute."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ReadmeHook(MetadataHookInterface):
    """README as package indexes show it: its links lead to the `address` of pyproject.toml, if it is set."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the readme of the package."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        if address := self.config.get("address"):
            text = re.sub(r"\]\((?!\w+:|#)", f"]({address.rstrip('/')}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class KernelBuildHook(BuildHookInterface):
    """Of a wheel: one for every version of CPython with the kernel in it, or a pure one without."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, into the checkout where the installation is editable."""
        kernel = Path(self.root, "ir_trunc", "_kernel")
        build = _module(kernel / "build.py")
        editable = version == "editable"
        self.made = TemporaryDirectory()
        found = build.compiled(kernel if editable else Path(self.made.name))
        if found is None or editable:
            return
        platform = self.build_config.builder.get_best_matching_tag().split("-")[-1]
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"  # the oldest Python that is declared
        build_data["force_include"][str(found)] = f"ir_trunc/_kernel/{found.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Leave nothing behind."""
        self.made.cleanup()


def _module(path: Path) -> Any:
    spec = spec_from_file_location("kernel_build", path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

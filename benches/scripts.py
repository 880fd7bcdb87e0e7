"""Scripts without a suffix, as modules."""

from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path


def script(name):
    """A script of this folder, such as `noises` or `peers/run`, as a module."""
    path = Path(__file__).resolve().parent / name
    loader = SourceFileLoader(path.name, str(path))
    module = module_from_spec(spec_from_loader(path.name, loader))
    loader.exec_module(module)
    return module

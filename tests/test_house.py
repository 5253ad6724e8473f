"""The house: imports go one way, `import revorder` is light, and every public thing of the core says what it is."""

import ast
import importlib
import importlib.util
import subprocess
import sys
import types
from pathlib import Path

import pytest

import revorder

PACKAGE = Path(revorder.__file__).parent
FLOORS = [  # a file imports from its own floor and those above it
    {"errors", "files", "helpers", "processes", "provenance", "settings"},
    {"arithmetic"},
    {"methods"},
    {"judge"},
    {"metrics"},
    {"reading"},
    {"rendering"},
    {"mixtures"},
    {"corpora"},
    {"model"},
    {"inference"},
    {"training"},
    {"evaluation"},
    {"reproduce"},
    {"integrations"},
    {"cli", "__main__"},
]
FLOOR = {name: i for i, names in enumerate(FLOORS) for name in names}
CORE = [
    "errors",
    "files",
    "helpers",
    "processes",
    "provenance",
    "settings",
    "arithmetic",
    "methods",
    "judge",
    "metrics",
    "reading",
    "mixtures",
    "corpora",
]
HEAVY = ["torch", "transformers", "ctranslate2", "openai", "rich", "pydantic", "yaml", "numpy", "typer", "safetensors"]
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def names(paths):
    return [str(path.relative_to(PACKAGE)) for path in paths]


def floor_of(path):
    return FLOOR[path.relative_to(PACKAGE).parts[0].removesuffix(".py")]


def imports(path):
    """(line, module) of every import in a file, those inside functions too; a module of the package in full."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            if node.module == "revorder":
                yield from ((node.lineno, f"revorder.{name.name}") for name in node.names)
            else:
                yield node.lineno, node.module


@pytest.mark.parametrize("path", MODULES, ids=names(MODULES))
def test_imports_go_one_way(path):
    for line, module in imports(path):
        package, _, rest = module.partition(".")
        if package == "revorder":
            first = rest.partition(".")[0]
            assert first in FLOOR, f"{path}:{line}: {module} is the package itself, which imports all of its floors"
            assert FLOOR[first] <= floor_of(path), f"{path}:{line}: {module} is further down"


def test_every_module_has_its_floor():
    assert modules_in(PACKAGE) == set(FLOOR)


def test_arithmetic_needs_the_standard_library_alone():
    for path in (PACKAGE / "arithmetic").glob("*.py"):
        for line, module in imports(path):
            own = module.startswith("revorder.arithmetic.") or module == "revorder.errors"
            assert own or module.partition(".")[0] in sys.stdlib_module_names, f"{path}:{line}: {module}"


def test_importing_the_package_is_light():
    code = f"import sys, revorder; print([name for name in {HEAVY!r} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert run.stdout == "[]\n", run.stdout + run.stderr


def modules_in(folder):
    """The names of the modules and packages in a folder."""
    paths = [path for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()]
    return {path.stem for path in paths} - {"__init__"}


def test_no_module_has_the_name_of_what_its_package_exports():
    for name in revorder.__all__:
        assert not isinstance(getattr(revorder, name), types.ModuleType)
        assert importlib.util.find_spec(f"revorder.{name}") is None, name
    for folder in {path.parent for path in MODULES}:
        package = importlib.import_module(".".join(folder.relative_to(PACKAGE.parent).parts))
        for name in modules_in(folder):
            assert isinstance(getattr(package, name, types), types.ModuleType), f"{package.__name__}.{name}"


def test_the_package_says_that_it_is_typed():
    assert (PACKAGE / "py.typed").is_file()


def public(body, prefix=""):
    """(name, node) of every public function and class, methods included."""
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node.body, f"{prefix}{node.name}.")


@pytest.mark.parametrize("name", CORE)
def test_every_public_thing_of_the_core_says_what_it_is(name):
    paths = [PACKAGE / f"{name}.py"] if (PACKAGE / f"{name}.py").exists() else sorted((PACKAGE / name).rglob("*.py"))
    for path in paths:
        tree = ast.parse(path.read_text())
        assert ast.get_docstring(tree), path
        for thing, node in public(tree.body):
            assert ast.get_docstring(node), f"{path}: {thing}"


def test_nothing_is_made_by_tricks():
    for path in MODULES:
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                inner = [child.name for child in ast.walk(node) if isinstance(child, ast.ClassDef)]
                assert not inner, f"{path}: class {inner} is made inside {node.name}"
            if isinstance(node, ast.Attribute) and ast.unparse(node) == "sys.modules":
                raise AssertionError(f"{path}:{node.lineno}: sys.modules")

"""The base of values that notebooks show as a picture, drawn by revorder.rendering."""

from __future__ import annotations

from importlib import import_module


class Pictured:
    """Show a value as HTML in a notebook; `str` and `repr` stay text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        draw = import_module("revorder.rendering.notebook").draw  # imported late, since rendering imports arithmetic
        return str(draw(self))

"""What a notebook shows as a picture, which revorder.rendering draws."""

from __future__ import annotations

from importlib import import_module


class Pictured:
    """Shown as HTML in a notebook; `str` and `repr` stay text."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        draw = import_module(
            "revorder.rendering.notebook"
        ).draw  # it is above this floor, and imported when it is asked for
        return str(draw(self))

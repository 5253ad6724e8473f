"""English prose that comes with Python: paragraphs of its language reference."""

from __future__ import annotations

LEAST = 300  # characters of a paragraph


def paragraphs() -> list[str]:
    """Return the long paragraphs of Python's help topics, without grammars, tables and examples.

    >>> "operator" in " ".join(paragraphs())
    True
    """
    from pydoc_data.topics import topics

    found = (part for topic in topics.values() for part in topic.split("\n\n"))
    return [text for text in found if len(text) >= LEAST and text[0].isalpha() and "::=" not in text]

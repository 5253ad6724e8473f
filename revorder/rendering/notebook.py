"""Draw traces, verdicts and explanations in a notebook, with the pictures of trace_html."""

from __future__ import annotations

from functools import singledispatch
from html import escape

from revorder.arithmetic.trace import Trace
from revorder.judge import Verdict
from revorder.metrics.csid import Explanation
from revorder.rendering.trace_html import fragment, mark, picture, sources, unwritten_sources


@singledispatch
def draw(thing: object) -> str:
    """Return a trace, a verdict or an explanation as HTML, and any other object as its repr.

    >>> from revorder import trace, verify
    >>> "Verified" in draw(trace("12+35")), "expected" in draw(verify("12+35=r|75"))
    (True, True)
    """
    return f"<pre>{escape(repr(thing))}</pre>"


@draw.register
def _(thing: Trace) -> str:
    return fragment(picture(thing.text, thing.method, thing.form))


@draw.register
def _(thing: Verdict) -> str:
    state = "right" if thing.ok else "wrong"
    said = f"Every step is right; the answer is {thing.answer}." if thing.ok else f"Step {thing.step}: {thing.reason}."
    return fragment(f'<p class="note {state}">{mark(state)} {escape(said)}</p>')


@draw.register
def _(thing: Explanation) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("digit", "of", "place", "from", "not written"))
    rows = [
        (digit.char, digit.of, str(digit.place), " ".join(sources(digit)), ", ".join(unwritten_sources(digit)))
        for digit in thing
    ]
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return fragment(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")

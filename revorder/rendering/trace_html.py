"""Draw traces as HTML: the same picture for a file and a notebook, without external scripts or fonts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from revorder.arithmetic.reversed_numbers import restore
from revorder.arithmetic.trace import Kind
from revorder.methods import full_name
from revorder.metrics.csid import Digit, csid
from revorder.metrics.token_cost import characters
from revorder.rendering.trace_characters import Char, Reading, read_trace

HINT = (
    '<p class="hint">Point at a digit, or reach it with Tab and the arrow keys, to see what it is computed from. '
    'A <span class="needs">dotted</span> one needs something that is written nowhere, such as a carry.</p>'
)
PAGE_STYLE = ":root { color-scheme: light dark; }\nbody { margin: 0; background: light-dark(#f7f6f2, #161614); }\n"
MOST_EXPLAINED, LONGEST = 10_000, 100  # limits for explanations: characters of a text, digits of a number
MOST_NAMED = 4  # unwritten digits listed by name

_OPERATION = re.compile(r"([0-9]+)([-+*/])([0-9]+)")
_LONG = re.compile(f"[0-9]{{{LONGEST + 1}}}")
_MARKS = {"right": "✓", "wrong": "✗"}


def beside(name: str) -> str:
    """Return the text of `style.css` or `keys.js`, the body of a function whose `element` contains the pictures.

    >>> beside("style.css").startswith(".revorder")
    True
    """
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def page(pictures: Iterable[str], title: str) -> str:
    """Return a complete page of pictures, which loads nothing.

    >>> page([picture("1+1=r|2=2")], "1+1").count("https:")
    0
    """
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>{escape(title)}</title>\n<style>\n{PAGE_STYLE}{beside('style.css')}</style>\n</head>\n"
        f'<body>\n<main class="revorder">\n{"".join(pictures)}{HINT}\n</main>\n'
        f"<script>\n((element) => {{\n{beside('keys.js')}}})(document.body);\n</script>\n</body>\n</html>\n"
    )


def fragment(body: str) -> str:
    """Return pictures with their style, for a notebook."""
    return f'<div class="revorder"><style>\n{beside("style.css")}</style>{body}</div>'


def picture(text: str, method: str = "revorder", form: str | None = None) -> str:
    """Return a trace as HTML, with the judge's verdict on each step and the sources of each digit.

    The answer is shown only if the judge passed the whole trace.

    Args:
        text: The trace, as a method or a model writes it.
        method: The method by which to judge the trace.
        form: The form of the method.

    Raises:
        ProblemError: The method or form is unknown.

    >>> "= 47" in picture("12+35=r|74=47"), "= 57" in picture("12+35=r|75=57")
    (True, False)
    """
    reading = read_trace(text, method, form, explains(text))
    question = str(reading.problem or text.partition("=")[0])
    whole = reading.trace
    if whole:
        head = headline(question, whole.answer, "right", "Verified: the judge passed every step.")
    else:
        head = headline(question, None, "wrong", f"Not verified: {reading.verdict.reason}.")
    facts = f"<b>{escape(full_name(method, whole.form if whole else form))}</b> · {characters(text):,} tokens"
    if not explains(text):
        facts += " · too long for CSID and explanations"
    elif whole:
        facts += f" · CSID {csid(whole):,}"
    return f'<section class="trace">{head}<p class="facts">{facts}</p>{steps_html(reading)}</section>\n'


def explains(text: str) -> bool:
    """Whether a text is short enough for its digits to be explained."""
    return len(text) <= MOST_EXPLAINED and not _LONG.search(text)


def headline(question: str, answer: str | None, state: str, note: str) -> str:
    """Return a headline: a question, its verified answer if there is one, and a note.

    `state` is `right` or `wrong`.

    >>> "<h2>" in headline("12+35", "47", "right", "Verified.")
    True
    """
    shown = f"<b>= {escape(answer)}</b>" if answer is not None else ""
    return f'<h2>{escape(question)} {shown}</h2><p class="note {state}">{mark(state)} {escape(note)}</p>'


def rejection(text: str, reason: str) -> str:
    """Return a rejected text and the reason as HTML."""
    return f'<p class="note wrong">{mark("wrong")} <code class="bad">{escape(text)}</code> {escape(reason)}</p>'


def mark(state: str) -> str:
    """Return the sign of a state as HTML."""
    return f'<span class="mark" role="img" aria-label="{state}">{_MARKS[state]}</span>'


def steps_html(reading: Reading) -> str:
    """Return the steps of a trace, one per row: a mark, the text, and the text with its numbers restored."""
    rows = list(reading.steps) or [()] * bool(reading.wrong)
    first = True  # only the first digit is reached by Tab; the arrow keys continue from there
    items: list[str] = []
    for i, row in enumerate(rows):
        last = i == len(rows) - 1
        state = "right" if reading.verdict.ok or not last else "wrong"
        body, first = row_html(row, first)
        wrong = f'<span class="bad">{escape(reading.wrong)}</span>' if last and reading.wrong else ""
        items.append(f'<li class="{state}">{mark(state)}<code>{body}{wrong}</code>{reads(row, state)}</li>')
    return f'<ol class="steps">{"".join(items)}</ol>'


def row_html(row: Iterable[Char], first: bool) -> tuple[str, bool]:
    """Return a step's text, and whether the first digit that can be focused is still to come."""
    out: list[str] = []
    taken_back = False
    for char in row:
        if char.taken_back != taken_back:
            out.append("<s>" if char.taken_back else "</s>")
            taken_back = char.taken_back
        if char.digit:
            needs = " needs" if char.digit.sids else ""
            index = 0 if first else -1
            first = False
            out.append(f'<span class="d{needs}" role="button" tabindex="{index}">{char.char}{why(char.digit)}</span>')
        elif char.char.isdigit() and char.kind is not Kind.COPY:
            out.append(f"<b>{escape(char.char)}</b>")
        else:
            out.append(escape(char.char))
    return "".join(out).strip("\n") + ("</s>" if taken_back else ""), first


def why(digit: Digit) -> str:
    """Return the sources of a digit as HTML: written digits, and dotted the digits that are written nowhere."""
    where = f"place {digit.place} of {digit.of}" if digit.of else "one-digit step"
    written = [f"<i>{escape(source)}</i>" for source in sources(digit)] or ["nothing written"]
    unwritten = [f'<i class="sid">{escape(sid)}</i>' for sid in unwritten_sources(digit)]
    return (
        f'<span class="why"><b>{digit.char}</b> <em>{"estimated, " * digit.estimated}{escape(where)}</em> '
        f"<span>from {' '.join(written)}</span>"
        + (f" <span>not written {' '.join(unwritten)}</span>" if unwritten else "")
        + "</span>"
    )


def sources(digit: Digit) -> list[str]:
    """Return the written digits that a digit is computed from.

    >>> sources(Digit("0", "123+179", 2, ("a2=2", "b2=7"), ("carry 1",)))
    ['2', '7']
    """
    match = _OPERATION.fullmatch(digit.of)
    whole = {"a": f"all of {match[1]}", "b": f"all of {match[3]}"} if match else {}
    return [source.partition("=")[2] or whole.get(source, source) for source in digit.sources]


def unwritten_sources(digit: Digit) -> list[str]:
    """Return the unwritten digits that a digit is computed from; a long list is cut short.

    >>> unwritten_sources(Digit("0", "123+179", 2, ("a2=2", "b2=7"), ("carry 1",)))
    ['carry']
    """
    if len(digit.sids) == 1:
        return [re.sub(r"^(carry|borrow) [0-9]+$", r"\1", digit.sids[0])]
    more = len(digit.sids) - MOST_NAMED
    return [*digit.sids[:MOST_NAMED], *([f"{more:,} more"] if more > 0 else [])]


def reads(row: Sequence[Char], state: str) -> str:
    """Return a step with its reversed numbers restored, if it has any and is right."""
    text = "".join([char.char for char in row]).strip()
    if state == "wrong" or restore(text) == text:
        return ""
    pieces = [("".join([char.char for char in piece]), back) for back, piece in groupby(row, attrgetter("taken_back"))]
    said = "".join([f"<s>{escape(restore(piece))}</s>" if back else escape(restore(piece)) for piece, back in pieces])
    return f'<small class="reads"><em>reads</em> {said.strip()}</small>'

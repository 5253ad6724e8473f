"""The scanner: a text without its markup, and the runs of digits in it, each with all that may belong to its number."""

from __future__ import annotations

import html
import re
from functools import lru_cache

from revorder.arithmetic.problem import ascii_signs

CUT = "…"  # the text continues here, or something here changes the number beside it

ALIKE = str.maketrans(
    dict.fromkeys("\u00a0\u2007\u2009\u202f", " ")
    | dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u20e3", "")
    | dict.fromkeys("‐‑‒⁻˗➖﹣－", "-")
    | dict(zip("０１２３４５６７８９，’。、", "0123456789,'.,", strict=True))
)
_SPACELESS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # letters of scripts without spaces between words
_END_TOKEN = re.compile(r"(?:</s>|<\|\w+\|>|<(?:eos|end_of_turn|pad)>|\[/INST\])\s*\Z")
_REASONING = ("think", "thinking", "reasoning", "thought")
_ANSWER_TAG = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)

_ARGUMENT = r"\s*(?:\{([^{}]*)\}|(\w))"
FRACTION = re.compile(rf"\\[dtc]?frac{_ARGUMENT}{_ARGUMENT}")
BLANK = (  # LaTeX commands that change no number: wrappers, spaces, arrows, layout
    r"boxed|[fm]box|underline|text[a-z]*|math[a-z]+|bf|rm|displaystyle|left|right|[bB]igg?[lr]?|q?quad|[hv]space|hline"
    r"|therefore|because|implies|[Rr]ightarrow|Longrightarrow|to|item|noindent|par|newline|large|Large|huge|small"
)
_MARKUP = [  # each with the signs of which a text that it changes has one; none: signs beyond ASCII
    (signs, re.compile(pattern), by)
    for signs, pattern, by in (
        ("\\", r"(?<=[0-9])\s*(?=\\[dtc]?frac)", CUT),  # a mixed number
        ("\\", FRACTION.pattern, lambda found: f" ({found[1] or found[2] or ''})/({found[3] or found[4] or ''}) "),
        ("\\{", r"\{,\}|\\,(?=[0-9]{3}(?![0-9]))", ","),
        ("{", r"(?<=[0-9])\}\s*\{(?=[0-9])", CUT),
        ("\\", r"\\!", ""),
        ("^", r"\^\s*\{", "^"),
        ("$", r"(?<=-)\\?\$(?=[0-9.])", ""),
        ("", r"(?<=-)[€£¥₹](?=[0-9.])", ""),
        ("~", r"~~[^~\n]+~~", " "),  # struck out
        ("\\", r"\\(?:times|cdot|ast)(?![A-Za-z])", "*"),
        ("\\", r"\\div(?![A-Za-z])", "/"),
        ("\\", r"\\(?:not\s*=|neq?(?![A-Za-z]))", "≠"),
        ("\\", r"\\(?:approx|simeq)(?![A-Za-z])", "≈"),
        ("\\.", r"\\[lc]?dots(?![A-Za-z])|\.{2,}", CUT),
        ("\\", rf"\\(?:{BLANK})(?![A-Za-z])", " "),
        ("\\", r"\\(?:begin|end)\{[a-z]+\*?\}(?:\{[lcr|]+\})?", " "),
        ("\\", r"\\%", "%"),
        ("\\", r"\\\\", "\n"),
        ("\\", r"\\(?:[A-Za-z]+\*?)(?:\[[^\[\]]*\])?\{", CUT),  # any other command may change the number in it
        ("\\", r"[ \t]*\\[A-Za-z]+\*?[ \t]*", CUT),  # or beside it
        ("<", r"</?(?:think|p|div|li|[uo]l|t[dhr]|table|h[1-6])\b[^<>\n]*>", "\n\n"),
        ("<", r"<br\b[^<>\n]*>", "\n"),
        ("$&`<", r"(?<=[0-9])(?:[$&`]|</?[A-Za-z][^<>\n]*>)+(?=[0-9])", CUT),
        ("\\{}$&`~<", r"\\.|[{}$&`]|(?<=[0-9])~(?=[0-9])|</?[A-Za-z][^<>\n]*>", " "),
        ("*", r"(?<=[0-9])[ \t]*\*\*[ \t]*(?=[0-9])", "^"),
        ("*_", r"\*\*|(?<![0-9A-Za-z])_+|_+(?![0-9A-Za-z])", " "),
        (
            "",
            r"(?<=[0-9]) ?(?=[万萬億亿兆千百十半割分倍折만억천백])|第(?=[0-9])",
            CUT,
        ),  # another number, or a part of one
        ("", r"[负負](?=[0-9])", "-"),
        ("", rf"(?<=[{_SPACELESS}])(?=[-0-9])|(?<=[0-9])(?=[{_SPACELESS}])", " "),
        (".", r"(?<![\w.,)])\.(?=[0-9])", "0."),
    )
]
# digits, with anything between them that may belong to the number, and the word that is glued to them
RUN = re.compile(r"(?:(?<!\w)|(?<=[^A-Za-z_][Rr]))([0-9]+(?:(?:[.,'_ ]|, )[0-9]+)*)((?![Rr][0-9])[^\W0-9]\w*)?")


def final_part(reply: str) -> str:
    """Return the part of a reply that answers: without its reasoning, empty if that never ends, and without end tokens.

    >>> final_part("<think>12+35</think>\\n\\nr|74</s>"), final_part("<think>It is 47")
    ('r|74', '')
    """
    for tag in _REASONING:
        if f"<{tag}>" in reply or f"</{tag}>" in reply:
            _, closed, reply = reply.rpartition(f"</{tag}>")
            if not closed or f"<{tag}>" in reply:
                return ""
            reply = reply.strip()
    while "<" in reply[-20:] or reply.endswith("]"):
        without = _END_TOKEN.sub("", reply)
        if without == reply:
            break
        reply = without
    tagged = _ANSWER_TAG.findall(reply) if "answer>" in reply else []
    return tagged[-1] if tagged else reply


@lru_cache(maxsize=32)
def plain_text(text: str) -> str:
    """Return a text without markup: LaTeX, HTML and Markdown, signs as ASCII, and CUT beside numbers that they change.

    >>> plain_text(r"**答案是47** of \\frac{1}{2}")
    ' 答案是 47  of  (1)/(2) '
    """
    text = ascii_signs(html.unescape(text).translate(ALIKE))
    there = {*text, *"…^*-."}  # the signs that earlier rules write too
    for signs, pattern, by in _MARKUP:
        if not there.isdisjoint(signs) if signs else not text.isascii():
            text = pattern.sub(by, text)
    return text

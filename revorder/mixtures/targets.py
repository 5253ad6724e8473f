"""Targets: an example as prompt and completion, the parts of it that a model learns, and the labels of its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from revorder.arithmetic.problem import question_in
from revorder.arithmetic.trace import Kind, Piece
from revorder.mixtures.sampling import Example

IGNORED = -100  # the label of a token that is not learned

Span = tuple[str, bool]  # a piece of text, and whether it is learned


class Pair(NamedTuple):
    """An example as a prompt and the spans of its completion, each learned or not."""

    prompt: str
    spans: list[Span]

    @property
    def completion(self) -> str:
        """The text of the spans."""
        return "".join([text for text, _ in self.spans])

    @property
    def text(self) -> str:
        """The prompt and the completion."""
        return self.prompt + self.completion


def make_targets(segments: Sequence[Piece], learn_estimates: bool = False) -> list[Span]:
    """Return the spans of a trace: the whole trace is learned, except the question and random wrong quotient digits.

    A model learns to take such a digit back, not to write it.

    Args:
        segments: the pieces of a trace, the question first.
        learn_estimates: whether wrong quotient digits are learned too, since a rule determines them.

    >>> from revorder import trace
    >>> steps = trace("94/12", "lean", rollback={0: 8}).steps
    >>> make_targets([segment for step in steps for segment in step.segments])[:4]
    [('94/12=', False), ('8', False), ('r|69', True), ('r|0', True)]
    """
    spans: list[Span] = []
    for i, (text, kind, _, a, b) in enumerate(segments):
        wrong = kind is Kind.ESTIMATE and not learn_estimates and int(text) != a // b
        spans.append((text, i > 0 and not wrong))
    return [span for span in spans if span[0]]


def as_pair(example: Example, learn_estimates: bool = False) -> Pair:
    """Return an example as prompt and completion; a trace that does not begin with its question is all completion.

    >>> from revorder.mixtures.mixture import Mixture
    >>> from revorder.mixtures.sampling import sampler
    >>> as_pair(sampler(Mixture.read("small")).example(42, 7))
    Pair(prompt='3422*8=', spans=[('r|67372', True)])
    """
    left = len(question_in(example.problem, example.text))
    (question, _), *others = make_targets(example.pieces, learn_estimates)
    spans = []
    for text, learned in [(question, True), *others]:  # the model learns the question if it has to write it
        if text[left:]:
            spans.append((text[left:], learned))
        left = max(0, left - len(text))
    return Pair(f"{example.problem}=", spans)


def labels_of(ids: Sequence[int], offsets: Iterable[tuple[int, int]], spans: Sequence[Span]) -> list[int]:
    """Return the label of each token: its id if all of its text is learned, else IGNORED.

    Args:
        ids: the ids of the tokens.
        offsets: where each token begins and ends in the joined text of the spans; a token without text is IGNORED.
        spans: the spans of the text.

    >>> labels_of([5, 6, 7], [(0, 2), (2, 4), (4, 5)], [("12=", False), ("4", True), ("7", True)])
    [-100, -100, 7]
    """
    learned = [learn for text, learn in spans for _ in text]
    return [
        token if start < stop and all(learned[start:stop]) else IGNORED
        for token, (start, stop) in zip(ids, offsets, strict=True)
    ]

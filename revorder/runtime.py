"""Runs a checkpoint folder on any CPU with CTranslate2, greedily and in batches; needs no torch.

A checkpoint is a folder that transformers reads too (config.json, model.safetensors, tokenizer.json), and
revorder.json, which says the method it writes and the digits it was trained on.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .methods import method_named, trace
from .problem import Problem, ProblemError
from .tokenizer import Tokenizer

SHIPPED = Path(__file__).parent / "checkpoints"
DEFAULT = "wide"  # no error in the suites of docs/results.md; "narrow" is a quarter of its size
CARD = "revorder.json"


def shipped() -> list[str]:
    """The names of the shipped checkpoints.

    >>> shipped()
    ['narrow', 'wide']
    """
    return sorted(folder.name for folder in SHIPPED.iterdir())


def checkpoint(model: str | Path | None = None) -> Path:
    """The folder of a checkpoint: a path, or the name of a shipped one, DEFAULT for None.

    >>> checkpoint() == checkpoint("wide") == SHIPPED / "wide"
    True
    """
    if model is None:
        return SHIPPED / DEFAULT
    folder = Path(model)
    return folder if folder.exists() or not (SHIPPED / folder).is_dir() else SHIPPED / folder


@dataclass(frozen=True, slots=True)
class Card:
    """What a checkpoint writes: a method's form, with or without a forward answer, up to so many digits.

    `limits`: (op, digits of the longer operand, digits of the shorter one) for each kind that was trained; for `/`
    dividend and divisor.

    >>> Card("lean", "lean", (("+", 5, 5), ("*", 5, 1))).covers(Problem(7, "*", 12345))
    True
    """

    method: str
    form: str
    limits: tuple[tuple[str, int, int], ...]
    answer: bool = False
    places: int = 40
    extra: dict[str, Any] = field(default_factory=dict)

    def covers(self, problem: Problem) -> bool:
        """Whether the operands are within what the checkpoint was trained on.

        >>> Card("lean", "lean", (("+", 5, 5),)).covers(Problem(1, "-", 1))
        False
        """
        a, b = len(str(problem.a)), len(str(problem.b))
        if problem.op != "/":
            a, b = max(a, b), min(a, b)
        return any(op == problem.op and a <= n and b <= m for op, n, m in self.limits)

    def room(self, problem: Problem) -> int:
        """Tokens that may be written: the right trace's, thrice for rollbacks, and a few.

        >>> Card("lean", "lean", ()).room(Problem(12, "+", 35))
        46
        """
        return 3 * len(trace(problem, self.method, self.form).text) + 16

    def save(self, folder: Path) -> None:
        """Write revorder.json into a checkpoint folder."""
        (folder / CARD).write_text(json.dumps(asdict(self), indent=2) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Card:
        """Read revorder.json; raises ProblemError that names the folder and what is missing."""
        try:
            fields = json.loads((folder / CARD).read_text())
            fields["limits"] = tuple((str(op), int(n), int(m)) for op, n, m in fields["limits"])
            card = cls(**fields)
            if type(card.places) is not int:
                raise TypeError(f"places {card.places!r}")
        except (FileNotFoundError, NotADirectoryError):
            raise ProblemError(
                f"model {str(folder)!r} has no {CARD}; accepted: a checkpoint folder, {', '.join(shipped())}"
            ) from None
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ProblemError(f"model {str(folder)!r}: its {CARD} can't be read ({error})") from None
        method_named(card.method, card.form)
        return card


@contextmanager
def hidden(module: str) -> Iterator[None]:
    """Meanwhile an import of this module fails, unless that was done before."""
    if module in sys.modules:
        yield
        return
    missing: Any = None
    sys.modules[module] = missing
    try:
        yield
    finally:
        del sys.modules[module]


def llama_files(folder: Path, vocabulary: Sequence[str]) -> dict[str, bytes]:
    """A Llama folder as the files of a CTranslate2 model, float32.

    Raises ProblemError where the folder is no such checkpoint.
    """
    import ctranslate2
    import numpy as np

    with hidden("torch"):  # which is not needed here, and takes two seconds to import
        from ctranslate2.specs import common_spec, transformer_spec
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        config = json.loads((folder / "config.json").read_text())
        weights = load_file(folder / "model.safetensors")
    except (OSError, ValueError, SafetensorError) as error:
        raise ProblemError(f"model {str(folder)!r} can't be read: {error}; accepted: a Llama folder") from None
    if config.get("model_type") != "llama" or config.get("vocab_size") != len(vocabulary):
        raise ProblemError(
            f"model {str(folder)!r}: model_type {config.get('model_type')!r}, {config.get('vocab_size')} tokens; "
            f"accepted: a llama with {len(vocabulary)} tokens"
        )
    heads = config["num_attention_heads"]
    rope = config.get("rope_parameters") or config.get("rope_scaling") or {}
    spec = transformer_spec.TransformerDecoderModelSpec.from_config(
        config["num_hidden_layers"],
        heads,
        activation=common_spec.Activation.SWISH,
        ffn_glu=True,
        rms_norm=True,
        rotary_dim=0,
        rotary_interleave=False,
        rotary_base=rope.get("rope_theta") or config.get("rope_theta", 10000.0),
        num_heads_kv=config.get("num_key_value_heads", heads),
        head_dim=config.get("head_dim") or config["hidden_size"] // heads,
    )

    def weight(name: str) -> Any:
        return weights[f"{name}.weight"].astype(np.float32)

    decoder = spec.decoder
    decoder.scale_embeddings = False
    decoder.embeddings.weight = weight("model.embed_tokens")
    decoder.layer_norm.gamma = weight("model.norm")
    tied = "lm_head.weight" not in weights
    decoder.projection.weight = weight("model.embed_tokens" if tied else "lm_head")
    for i, layer in enumerate(decoder.layer):
        at = f"model.layers.{i}."
        attention, ffn = layer.self_attention, layer.ffn
        attention.layer_norm.gamma = weight(at + "input_layernorm")
        attention.linear[0].weight = np.concatenate([weight(f"{at}self_attn.{x}_proj") for x in "qkv"])
        attention.linear[1].weight = weight(at + "self_attn.o_proj")
        ffn.layer_norm.gamma = weight(at + "post_attention_layernorm")
        ffn.linear_0.weight = weight(at + "mlp.gate_proj")
        ffn.linear_0_noact.weight = weight(at + "mlp.up_proj")
        ffn.linear_1.weight = weight(at + "mlp.down_proj")
    spec.register_vocabulary(list(vocabulary))
    spec.config.bos_token, spec.config.eos_token, spec.config.unk_token = vocabulary[1], vocabulary[2], vocabulary[0]
    spec.config.layer_norm_epsilon = config.get("rms_norm_eps", 1e-5)
    spec.validate()
    spec.optimize(quantization=None)
    with tempfile.TemporaryDirectory() as made:
        spec.save(made)
        assert ctranslate2.contains_model(made)
        return {path.name: path.read_bytes() for path in Path(made).iterdir()}


class Runtime:
    """A loaded checkpoint. `threads`: batches that are written at once, each on a core of its own, 0 for a batch a core.

    `folder`: its folder, or a shipped one's name. Raises ProblemError where the folder holds no checkpoint.
    """

    def __init__(self, folder: str | Path | None = None, threads: int = 0) -> None:
        import ctranslate2

        self.folder = checkpoint(folder)
        self.card = Card.load(self.folder)
        self.tokenizer = Tokenizer(self.card.places)
        try:
            files = llama_files(self.folder, self.tokenizer.vocabulary)
        except (KeyError, TypeError, AttributeError) as error:
            raise ProblemError(f"model {str(folder)!r} lacks {error}; accepted: a Llama folder") from None
        generator = ctranslate2.Generator(
            str(self.folder),
            device="cpu",
            compute_type="float32",
            inter_threads=threads or os.cpu_count() or 1,  # faster than all cores on one batch
            intra_threads=1,
            files=files,
        )
        # its threads end before the interpreter does: one that still lets go of a stream's callback would abort it
        self._generators = [generator]
        weakref.finalize(self, self._generators.clear)

    def _prompt(self, question: str) -> list[str]:
        return self.tokenizer.tokens([self.tokenizer.bos, *self.tokenizer.encode(question)])

    def generate(self, questions: Sequence[str], max_tokens: int, batch: int = 32) -> list[str]:
        """What the checkpoint writes after each question, at most `max_tokens` tokens, greedily."""
        results = self._generators[0].generate_batch(
            [self._prompt(question) for question in questions],
            max_batch_size=batch,
            max_length=max_tokens,
            include_prompt_in_result=False,
            sampling_topk=1,
        )
        return [self.tokenizer.decode(result.sequences_ids[0]) for result in results]

    def generate_each(self, questions: Sequence[str], max_tokens: int) -> Iterator[tuple[int, str]]:
        """The same as pairs of index and text."""
        return enumerate(self.generate(questions, max_tokens))

    def as_trace(self, problem: Problem, written: str) -> str:
        """The question with what was written after it."""
        return f"{problem}={written}"

    def stream(self, question: str, max_tokens: int) -> Iterator[str]:
        """The same for one question, a token's text at a time."""
        for result in self._generators[0].generate_tokens(
            self._prompt(question), max_length=max_tokens, sampling_topk=1
        ):
            yield self.tokenizer.decode([result.token_id])

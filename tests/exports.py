"""What the tests of exported files share: problems of all operations, and a checkpoint of another shape."""

from revorder.mixtures.sampling import held_out
from revorder.model.checkpoint import CheckpointInfo
from revorder.model.tokenizer import Tokenizer

SIZES = [("+", 16, 16), ("+", 9, 4), ("-", 16, 16), ("-", 5, 8), ("*", 16, 1), ("*", 6, 4), ("/", 16, 1), ("/", 9, 4)]
MOST = 200  # tokens


def questions():
    """48 questions, divisions with remainders and differences below zero among them."""
    return [f"{problem}=" for op, a, b in SIZES for problem in held_out(op, a, b, 6, seed=3, exact=False)]


def save_grouped(folder, places=12):
    """Write a random Llama with more heads than keys, tied embeddings and a RoPE of its own; returns the model."""
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed

    set_seed(0)
    config = LlamaConfig(
        vocab_size=len(Tokenizer(places)),
        hidden_size=64,
        intermediate_size=96,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        max_position_embeddings=512,
        rope_parameters={"rope_type": "default", "rope_theta": 500.0},
        rms_norm_eps=1e-3,
        initializer_range=0.2,
        tie_word_embeddings=True,
        bos_token_id=1,
        eos_token_id=2,
    )
    model = LlamaForCausalLM(config).eval()
    model.save_pretrained(folder)
    CheckpointInfo("lean", "lean", (("+", 16, 16),), places=places).save(folder)
    return model

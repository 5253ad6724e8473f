"""CUDA graphs: the same gradients as without them, for batches of any shape."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from revorder.training.recipe import Recipe  # noqa: E402
from revorder.training.runs import read_log  # noqa: E402
from revorder.training.trainer import train  # noqa: E402


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_a_run_on_graphs_learns_what_a_run_without_them_learns(recipe, tmp_path, monkeypatch):
    losses = []
    for graphs in (True, False):
        monkeypatch.setattr("revorder.training.trainer.on_one_gpu", lambda graphs=graphs: graphs)
        out = train(Recipe.read(recipe).model_dump(mode="json"), tmp_path / str(graphs))
        losses.append([entry["loss"] for entry in read_log(out / "run" / "log.jsonl") if "loss" in entry])
    assert len(losses[0]) == len(losses[1]) and losses[0] == pytest.approx(losses[1], rel=0.05)

"""The card: a folder of shards loads as a dataset, and a README.md that is there stays."""

import pytest

from revorder.mixtures.dataset_card import write_card
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler
from revorder.mixtures.shards import Run, write_shards
from revorder.mixtures.views import VIEWS


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_folder_loads_as_a_dataset(view, format, tmp_path, monkeypatch):
    datasets = pytest.importorskip("datasets")
    mixture = Mixture.read({"name": "my own. mix-1", "method": "lean", "parts": [{"op": "*", "a": 4, "b": [1, 2]}]})
    folder = tmp_path / "data"
    write_card(folder, write_shards(Run(mixture, 1, folder, 250, 100, format=format, view=view)))
    loaded = datasets.load_dataset(str(folder), cache_dir=str(tmp_path / "cache"))
    assert list(loaded) == ["train"]
    assert loaded["train"].to_list() == [
        VIEWS[view](example, mixture) for example in sampler(mixture).examples(1, 0, 250)
    ]


def test_the_card_says_what_the_rows_are(tmp_path):
    hub = pytest.importorskip("huggingface_hub")
    mixture = Mixture.read("paper")
    write_card(tmp_path, write_shards(Run(mixture, 7, tmp_path, 1200, 1000, view="steps")))
    card = hub.DatasetCard.load(tmp_path / "README.md")
    assert (card.data.license, card.data.size_categories, card.data.pretty_name) == (
        "apache-2.0",
        ["1K<n<10K"],
        "paper",
    )
    for said in ("1,200 exact", "`revorder`", "`compact`", "seed 7", "`labels`", "| / | 1-16 |"):
        assert said in card.text, card.text


def test_a_readme_that_is_there_stays(tmp_path):
    (tmp_path / "README.md").write_text("mine")
    write_card(tmp_path, write_shards(Run(Mixture.read("small"), 1, tmp_path, 10)))
    assert (tmp_path / "README.md").read_text() == "mine"

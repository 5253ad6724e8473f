"""Streaming: the rows of a mixture in order, each once over ranks and workers, and a reader that goes on."""

import re
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import ProblemError, verify
from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import BLOCK, sampler
from revorder.mixtures.streaming import ranges, stream
from revorder.mixtures.views import VIEWS, find_view

pytest.importorskip("datasets")
SMALL = Mixture.read("small")
PAGE = Path(__file__).parent.parent.parent / "docs" / "training_data.md"


def indices(rows):
    return [row["index"] for row in rows]


@given(st.integers(1, 10**13), st.integers(1, 2000))
def test_ranges_are_whole_blocks_that_cover_all(size, count):
    made = ranges(size, count)
    assert made[0][0] == 0 and made[-1][1] == size and 1 <= len(made) <= count
    assert all(left[1] == right[0] and right[0] % BLOCK == 0 for left, right in pairwise(made))
    assert all(start < stop for start, stop in made)


@pytest.mark.parametrize("view", VIEWS)
def test_rows_are_those_of_the_mixture_in_order(view):
    rows = list(stream(SMALL, 5, 700, view))
    assert rows == [VIEWS[view](example, SMALL) for example in sampler(SMALL).examples(5, 0, 700)]


def test_a_trillion_rows_begin_at_once():
    assert next(iter(stream(SMALL, size=10**12, view="trace")))["index"] == 0


@pytest.mark.parametrize("ranks", [2, 3])
def test_ranks_and_workers_share_each_row_once(ranks):
    from datasets.distributed import split_dataset_by_node
    from torch.utils.data import DataLoader

    rows = stream(SMALL, size=2000, view="trace", shards=8)
    seen = []
    for rank in range(ranks):
        ours = split_dataset_by_node(rows, rank=rank, world_size=ranks)
        seen.append(indices(DataLoader(ours, batch_size=None, num_workers=2)))
    assert all(seen) and sorted(sum(seen, [])) == list(range(2000))


def test_a_reader_goes_on_behind_the_last_row():
    from datasets.distributed import split_dataset_by_node

    rows = split_dataset_by_node(stream(SMALL, size=2000, view="trace", shards=4), rank=1, world_size=2)
    whole = indices(rows)
    for stopped in (1, 300, 900):
        reader = iter(rows)
        read = [next(reader)["index"] for _ in range(stopped)]
        again = split_dataset_by_node(stream(SMALL, size=2000, view="trace", shards=4), rank=1, world_size=2)
        again.load_state_dict(rows.state_dict())
        assert read + indices(again) == whole


def test_bad_arguments_are_named():
    for wrong in ({"size": 0}, {"shards": 0}):
        with pytest.raises(ProblemError, match="accepted: at least 1"):
            stream(SMALL, **wrong)
    with pytest.raises(ProblemError, match="view 'tokens' is unknown"):
        stream(SMALL, view="tokens")


def test_without_datasets_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ProblemError, match=r"stream needs datasets; install: pip install 'revorder\[data\]'"):
        stream(SMALL)


def test_the_page_trains_on_tokens(tmp_path, monkeypatch):
    trl = pytest.importorskip("trl")
    from pretrained import byte_level, save_model

    folder, config = save_model(tmp_path / "model", byte_level(True)), trl.SFTConfig
    quiet = {"report_to": [], "save_strategy": "no", "use_cpu": True, "bf16": False, "disable_tqdm": True}
    monkeypatch.setattr(trl, "SFTConfig", lambda out, **more: config(out, **more | {"max_steps": 2} | quiet))
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text('{"text": "Once."}\n' * 300)
    space = {}
    for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)[1:]:
        exec(block.replace("MODEL", folder), space)
    assert space["trainer"].state.global_step == 2
    texts = [row["text"] for row in space["mixed"]]
    assert any(text != "Once." and verify(text, "lean").ok for text in texts) and "Once." in texts
    row = next(iter(space["trainer"].train_dataset))
    tokens = find_view("tokens", space["tokenizer"])
    assert any(
        tokens(example, Mixture.read("paper"))["labels"] == row["labels"]
        for example in sampler(Mixture.read("paper")).examples(42, 0, 5000)
    )

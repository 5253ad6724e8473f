"""revorder app: where the page is, and that it is opened."""

import webbrowser
from pathlib import Path

import pytest
from erring import save_erring

from revorder.cli import main


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as end:
        main(["app", *arguments])
    assert end.value.code in (0, None)
    return Path(capsys.readouterr().out.strip())


def test_the_page_is_written_and_opened(capsys, monkeypatch, tmp_path):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = run(capsys)
    assert opened == [path.as_uri()] and path.is_relative_to(tmp_path) and "<title>RevOrder" in path.read_text()


def test_the_page_of_another_model_is_only_written(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr(webbrowser, "open", lambda url: pytest.fail("opened"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    path = run(capsys, "--no-open", "--model", save_erring(tmp_path / "erring"))
    assert path.name == "erring.html" and '"name": "erring"' in path.read_text()


def test_what_is_no_checkpoint_is_one_line(refused, tmp_path):
    assert "revorder.json" in refused("app", "--no-open", "--model", tmp_path)

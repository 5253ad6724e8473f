"""A model that errs, for what happens to a wrong trace."""

import pytest
from erring import save_erring


@pytest.fixture(scope="session")
def erring(tmp_path_factory):
    """The folder of a model that errs."""
    return save_erring(tmp_path_factory.mktemp("erring") / "model")

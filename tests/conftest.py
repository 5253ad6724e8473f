"""What tests share: a hypothesis profile that draws the same cases everywhere, and the data beside the checkout."""

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same everywhere", derandomize=True, deadline=None, max_examples=150)
settings.load_profile("same everywhere")
SHARED = Path(__file__).parent.parent.parent / "shared" / "data"


@pytest.fixture
def shared():
    """The folder ../shared/data with BIG-bench, GSM8K and others' traces; tests that need it skip where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared/data beside the checkout")
    return SHARED

from __future__ import annotations

import pytest

from tearsheet.topics.snapshot.frozen import Frozen
from tests.support.frozen_primes import frozen_primes


@pytest.fixture
def frozen() -> Frozen:
    return frozen_primes()

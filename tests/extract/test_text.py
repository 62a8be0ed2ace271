"""Which blocks are kept."""

import numpy as np

from tearsheet.extract.text import best_cut


def test_the_best_cut():
    keep, expected = best_cut(np.array([0.9, 0.1, 0.8, 0.02], np.float32), np.array([100, 10, 50, 200], np.float32))
    assert keep.tolist() == [True, False, True, False]
    assert 0.8 < expected < 1

"""Where sources lie: linked ones near each other, communities side by side, the others below."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.layout import lay_out
from tearsheet.topics.snapshot.network import communities
from tests.support.many_sources import many_sources

CLIQUE = [(a, b, 1.0) for a in range(6) for b in range(a)]
TWO_CLIQUES = CLIQUE + [(a + 6, b + 6, 1.0) for a, b, _ in CLIQUE] + [(0, 6, 1.0)]


def test_two_cliques_lie_apart():
    layout = lay_out(12, TWO_CLIQUES, communities(12, TWO_CLIQUES))
    first, second = layout.positions[:6], layout.positions[6:]
    between = np.linalg.norm(first.mean(axis=0) - second.mean(axis=0))
    assert between > max(np.linalg.norm(part - part.mean(axis=0), axis=1).mean() for part in (first, second))
    assert layout.apart == []
    assert np.abs(layout.positions).max() == 1


def test_what_no_link_joins_to_the_rest_lies_below_in_rows():
    edges = [*TWO_CLIQUES, (12, 13, 1.0)]
    layout = lay_out(200, edges, communities(200, edges))
    assert layout.apart == list(range(12, 200))
    below = layout.positions[12:]
    assert (below[:, 1] < -1).all()
    assert len({tuple(place) for place in below.tolist()}) == 188
    assert sorted({round(y, 2) for y in below[:, 1].tolist()}) == [-1.16, -1.13, -1.1]


def test_the_largest_component_is_drawn_and_of_equals_the_first():
    assert lay_out(5, [(0, 1, 1.0), (2, 3, 1.0), (3, 4, 1.0)], [0] * 5).apart == [0, 1]
    assert lay_out(4, [(2, 3, 1.0), (0, 1, 1.0)], [0] * 4).apart == [2, 3]


def test_most_of_a_map_is_used():
    chart = MediaMap(many_sources(250))
    inside = np.delete(chart.positions, chart.apart, axis=0)
    assert len(inside) > 200
    for low, high in np.quantile(inside, (0.05, 0.95), axis=0).T:
        assert high - low > 0.8  # of 2; it was 0.3


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.floats(0.5, 9)), max_size=30))
def test_networks_of_any_shape(edges):
    edges = [(a, b, weight) for a, b, weight in edges if a != b]
    first, second = (lay_out(10, edges, communities(10, edges)) for _ in range(2))
    assert np.isfinite(first.positions).all()
    assert (first.positions == second.positions).all()
    inside = np.delete(first.positions, first.apart, axis=0)
    assert len(inside) == 0 or np.abs(inside).max() <= 1
    assert lay_out(0, [], []).apart == []

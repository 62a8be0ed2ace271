"""Ranks and communities, beside those of another program."""

import random

import lazy_loader
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tearsheet.topics.snapshot.network import communities, pagerank

nx = lazy_loader.load("networkx")


def test_pagerank_is_that_of_another_program():
    rng = random.Random(1)
    edges = sorted({(rng.randrange(60), rng.randrange(60)) for _ in range(300)})
    weighted = [(a, b, float(1 + (a + b) % 3)) for a, b in edges if a != b and a % 10]
    graph = nx.DiGraph()
    graph.add_nodes_from(range(60))
    graph.add_weighted_edges_from(weighted)
    theirs = nx.pagerank(graph, tol=1e-12, max_iter=500)
    assert pagerank(60, weighted) == pytest.approx([theirs[i] for i in range(60)], abs=1e-7)


def test_communities_are_as_good_as_those_of_another_program():
    rng = random.Random(2)
    edges = [(a, b, 1.0) for a in range(60) for b in range(a) if rng.random() < (0.4 if a % 4 == b % 4 else 0.03)]
    graph = nx.Graph()
    graph.add_nodes_from(range(60))
    graph.add_weighted_edges_from(edges)
    ours = communities(60, edges)
    groups = [{i for i in range(60) if ours[i] == number} for number in set(ours)]
    theirs = nx.community.louvain_communities(graph, seed=1)
    assert nx.community.modularity(graph, groups) >= nx.community.modularity(graph, theirs) - 0.01


def test_pagerank_of_a_star_and_of_nothing():
    ranks = pagerank(4, [(1, 0, 1.0), (2, 0, 1.0), (3, 0, 1.0)])
    assert sum(ranks) == pytest.approx(1.0)
    assert ranks[0] > 2 * ranks[1] == 2 * ranks[3]
    assert pagerank(0, []) == []
    assert pagerank(2, []) == [0.5, 0.5]


def test_communities_of_two_cliques():
    clique = [(a, b, 1.0) for a in range(4) for b in range(a)]
    edges = clique + [(a + 4, b + 4, 1.0) for a, b, _ in clique] + [(0, 4, 1.0)]
    assert communities(9, edges) == [0, 0, 0, 0, 1, 1, 1, 1, 2]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.just(1.0)), max_size=30))
def test_networks_of_any_shape(edges):
    edges = [(a, b, w) for a, b, w in edges if a != b]
    assert communities(10, edges) == communities(10, edges)
    assert sum(pagerank(10, edges)) == pytest.approx(1.0, abs=1e-6)

"""PageRank, communities and layout of a network of links. The same network gives the same numbers, to the last digit shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Edges = Sequence[tuple[int, int, float]] | npt.NDArray[np.float64]
"""Rows of source, target and weight."""
_DAMPING = 0.85
_ROUNDS = 200
_TOLERANCE = 1e-12
_DIGITS = 9
_MAX_PASSES = 50


def _columns(edges: Edges) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    rows = np.asarray(edges, dtype=np.float64).reshape(-1, 3)
    return rows[:, 0].astype(np.int64), rows[:, 1].astype(np.int64), rows[:, 2]


def pagerank(count: int, edges: Edges) -> list[float]:
    """The PageRank of each node, rounded. Nodes without outgoing links share theirs among all nodes."""
    if not count:
        return []
    rank = np.full(count, 1.0 / count)
    source, target, weight = _columns(edges)
    if len(weight):
        out = np.bincount(source, weight, count)
        share = weight / out[source]
        dangling = out == 0
        for _ in range(_ROUNDS):
            arriving = np.bincount(target, rank[source] * share, count)
            new = (1 - _DAMPING) / count + _DAMPING * (arriving + rank[dangling].sum() / count)
            change = float(np.abs(new - rank).sum())
            rank = new
            if change < _TOLERANCE:
                break
    found: list[float] = np.round(rank, _DIGITS).tolist()
    return found


def communities(count: int, edges: Edges) -> list[int]:
    """The community of each node by the Louvain method. The largest is number 0; ties go to the one with the first node.

    Nodes are visited in order, and ties go to the lowest community, so nothing is left to chance.
    """
    member = list(range(count))
    graph = _undirected(count, edges)
    while True:
        groups, moved = _move_nodes(graph)
        if not moved:
            break
        number = {group: i for i, group in enumerate(sorted(set(groups)))}
        member = [number[groups[node]] for node in member]
        graph = _fold(graph, [number[group] for group in groups], len(number))
    sizes: dict[int, int] = defaultdict(int)
    first: dict[int, int] = {}
    for node, group in enumerate(member):
        sizes[group] += 1
        first.setdefault(group, node)
    order = sorted(sizes, key=lambda group: (-sizes[group], first[group]))
    final = {group: i for i, group in enumerate(order)}
    return [final[group] for group in member]


Graph = list[dict[int, float]]
"""Weights by neighbour; a node's weight to itself counts twice, as loops do."""


def _undirected(count: int, edges: Edges) -> Graph:
    graph: Graph = [{} for _ in range(count)]
    for a, b, weight in zip(*(column.tolist() for column in _columns(edges)), strict=True):
        graph[a][b] = graph[a].get(b, 0.0) + weight
        graph[b][a] = graph[b].get(a, 0.0) + weight
    return graph


def _move_nodes(graph: Graph) -> tuple[list[int], bool]:
    degree = [sum(near.values()) for near in graph]
    whole = sum(degree)
    group = list(range(len(graph)))
    if not whole:
        return group, False
    total = list(degree)
    moved = False
    for _ in range(_MAX_PASSES):
        changed = False
        for node, near in enumerate(graph):
            own = group[node]
            weights: dict[int, float] = defaultdict(float)
            for other, weight in near.items():
                if other != node:
                    weights[group[other]] += weight
            total[own] -= degree[node]
            best, gain = own, weights[own] - total[own] * degree[node] / whole
            for candidate in sorted(weights):
                value = weights[candidate] - total[candidate] * degree[node] / whole
                if value > gain + 1e-9:
                    best, gain = candidate, value
            total[best] += degree[node]
            if best != own:
                group[node], changed, moved = best, True, True
        if not changed:
            break
    return group, moved


def _fold(graph: Graph, group: list[int], count: int) -> Graph:
    folded: Graph = [{} for _ in range(count)]
    for node, near in enumerate(graph):
        row = folded[group[node]]
        for other, weight in near.items():
            row[group[other]] = row.get(group[other], 0.0) + weight
    return folded


def layout(count: int, edges: Edges, *, rounds: int = 300, seed: int = 1) -> npt.NDArray[np.float64]:
    """Positions of nodes in a square from -1 to 1: linked nodes close together, others apart. The seed is fixed."""
    rng = np.random.default_rng(seed)
    position = rng.uniform(-1.0, 1.0, (count, 2))
    if count < 2:
        return np.zeros((count, 2))
    ideal = (1.0 / count) ** 0.5
    source, target, weight = _columns(edges)
    strength = np.log1p(weight) / ideal
    buffers = np.empty((3, count, count), dtype=np.float32)
    for step in range(rounds):
        push = _push_apart(position.astype(np.float32), ideal, buffers)
        along = position[source] - position[target]
        pull = along * (np.sqrt((along**2).sum(axis=1)) * strength)[:, None]
        for axis in (0, 1):
            push[:, axis] += np.bincount(target, pull[:, axis], count) - np.bincount(source, pull[:, axis], count)
        push -= position * ideal  # a little gravity keeps unlinked nodes in sight
        length = np.sqrt((push**2).sum(axis=1))
        limit = 0.2 * (1.0 - step / rounds) + 1e-4
        position += push * (np.minimum(length, limit) / np.maximum(length, 1e-12))[:, None]
    position -= (position.min(axis=0) + position.max(axis=0)) / 2
    return np.round(position / max(float(np.abs(position).max()), 1e-9), 5)


def _push_apart(
    position: npt.NDArray[np.float32], ideal: float, buffers: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]:
    """How every node pushes every other away. Most of a map's cost is here, hence the 32-bit floats and the reused `buffers`."""
    dx, dy, force = buffers
    for d, x in zip((dx, dy), position.T.copy(), strict=True):
        np.subtract(x[:, None], x[None, :], out=d)
    np.multiply(dx, dx, out=force)
    force += dy * dy
    np.maximum(force, np.float32(1e-6), out=force)
    np.divide(np.float32(ideal**2), force, out=force)
    return np.stack([np.einsum("ij,ij->i", d, force) for d in (dx, dy)], axis=1).astype(np.float64)

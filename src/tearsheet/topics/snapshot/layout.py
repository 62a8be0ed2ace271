"""Where the sources of a map lie: those that links join in its middle, communities side by side, and all others in a margin below.

The largest component is laid out by rustworkx (springs, in Rust, in memory that grows with the links; 5,000 sources take some 8 s),
from places that keep each community together. networkx and what was here before need n² memory; networkit depends on how many
processors there are; igraph's licence does not fit.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import rustworkx

from tearsheet.topics.snapshot.network import Edges, columns_of

Points = npt.NDArray[np.float64]
_GOLDEN_ANGLE = math.pi * (3 - math.sqrt(5))
_FEWEST_ROUNDS, _MOST_ROUNDS, _ROUNDS_TIMES_NODES = 50, 300, 250_000
_USUAL_SHARE = 0.97
"""The part of the sources that fills the map; those further out are drawn in towards its edge."""


MARGIN_COLUMNS = 68
_MARGIN_TOP, _MARGIN_ROW = 1.1, 0.03


@dataclass(slots=True, frozen=True)
class Layout:
    """Positions in a square from -1 to 1, and in rows below it."""

    positions: Points
    apart: list[int]
    """The nodes below the square, in their order: no link joins them to the others."""


def lay_out(count: int, edges: Edges, groups: Sequence[int]) -> Layout:
    """Linked nodes close together, others apart. The same network gives the same positions."""
    source, target, weight = columns_of(edges)
    graph = rustworkx.PyGraph(multigraph=True)
    graph.add_nodes_from(range(count))
    graph.add_edges_from(list(zip(source.tolist(), target.tolist(), np.log1p(weight).tolist(), strict=True)))
    joined = _largest_component(graph)
    positions = np.zeros((count, 2))
    if joined:
        positions[joined] = _filling_a_square(_springs(graph.subgraph(joined), [groups[node] for node in joined]))
    inside = set(joined)
    apart = [node for node in range(count) if node not in inside]
    for number, node in enumerate(apart):
        row, column = divmod(number, MARGIN_COLUMNS)
        positions[node] = (2 * column / (MARGIN_COLUMNS - 1) - 1, -_MARGIN_TOP - row * _MARGIN_ROW)
    return Layout(np.round(positions, 5), apart)


def _largest_component(graph: rustworkx.PyGraph[int, float]) -> list[int]:
    """Its nodes in order; of several that are equally large, the one with the first node. A node alone is none."""
    components = [sorted(component) for component in rustworkx.connected_components(graph) if len(component) > 1]
    return min(components, key=lambda nodes: (-len(nodes), nodes), default=[])


def _springs(graph: rustworkx.PyGraph[int, float], groups: Sequence[int]) -> Points:
    count = len(groups)
    rounds = min(max(_ROUNDS_TIMES_NODES // count, _FEWEST_ROUNDS), _MOST_ROUNDS)
    begin = {node: (float(x), float(y)) for node, (x, y) in enumerate(_side_by_side(groups))}
    found = rustworkx.spring_layout(graph, pos=begin, weight_fn=float, num_iter=rounds, seed=1)
    return np.array([found[node] for node in range(count)])


def _side_by_side(groups: Sequence[int]) -> Points:
    """Each group as a disc with room for its members; the discs around the largest one, none over another."""
    sizes = Counter(groups)
    total = len(groups)
    centres: dict[int, tuple[float, float]] = {}
    before = 0
    for number, (group, size) in enumerate(sorted(sizes.items(), key=lambda item: (-item[1], item[0]))):
        radius = 0.0 if not number else math.sqrt((before + size / 2) / total) * 1.3
        centres[group] = (radius * math.cos(number * _GOLDEN_ANGLE), radius * math.sin(number * _GOLDEN_ANGLE))
        before += size
    seen: Counter[int] = Counter()
    points = np.empty((total, 2))
    for node, group in enumerate(groups):
        reach, angle = math.sqrt((seen[group] + 0.5) / total), seen[group] * _GOLDEN_ANGLE
        points[node] = (centres[group][0] + reach * math.cos(angle), centres[group][1] + reach * math.sin(angle))
        seen[group] += 1
    return points


def _filling_a_square(points: Points) -> Points:
    """Centred and scaled so that nearly all points fill the square; the few far out are drawn in, in their direction."""
    points = points - np.median(points, axis=0)
    distance = np.abs(points).max(axis=1)
    usual = max(float(np.quantile(distance, _USUAL_SHARE)), 1e-9)
    furthest = max(float(distance.max()), 1e-9)
    if furthest > 1.15 * usual:
        drawn_in = np.where(distance > usual, usual * (1 + 0.15 * (distance - usual) / (furthest - usual)), distance)
        points *= (drawn_in / np.maximum(distance, 1e-9))[:, None]
        furthest = 1.15 * usual
    filled: Points = points / furthest
    return filled

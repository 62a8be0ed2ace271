"""Counts, ranks and networks of whole exports, beside those that networkx works out from what was frozen."""

from __future__ import annotations

import csv
import io
from itertools import chain
from pathlib import Path

import lazy_loader
import pytest

from tearsheet.topics.snapshot import export_files
from tearsheet.topics.snapshot.frozen import Frozen
from tearsheet.topics.snapshot.network_xml import Network, Node, to_gexf, to_graphml
from tearsheet.topics.snapshot.timespans import Timespan, timespans_of
from tests.support.gexf_rules import broken_rules
from tests.support.random_snapshots import random_snapshot

nx = lazy_loader.load("networkx")
LEAST = 2


@pytest.fixture
def exported(monkeypatch):
    """Writes an export into memory: the bytes by name."""

    def write(frozen: Frozen) -> dict[str, bytes]:
        files: dict[str, bytes] = {}

        def keep(path: Path, data: bytes) -> Path:
            files[path.relative_to("out").as_posix()] = data
            return path

        monkeypatch.setattr(export_files, "_write", keep)
        export_files.write_export(frozen, Path("out"), ["csv", "gexf", "graphml"], least_shared=LEAST)
        return files

    return write


def inside(frozen: Frozen, span: Timespan) -> set[int]:
    """The stories of a timespan's focus that are dated inside."""
    return {
        n
        for n, story in enumerate(frozen.stories)
        if (not span.focus or span.focus in story.foci)
        and (span.start is None or span.end is None or (story.day is not None and span.start <= story.day <= span.end))
    }


def their_stories(frozen: Frozen, span: Timespan):
    graph = nx.DiGraph()
    dated = inside(frozen, span)
    graph.add_nodes_from(frozen.stories[n].id for n in dated)
    for a, b in frozen.links:
        source, target = frozen.stories[a], frozen.stories[b]
        if a in dated and source.media != target.media and (not span.focus or span.focus in target.foci):
            graph.add_edge(source.id, target.id, weight=1.0)
    return graph


def their_media(frozen: Frozen, stories):
    of = {story.id: story.media for story in frozen.stories}
    graph = nx.DiGraph()
    graph.add_nodes_from(of[name] for name in stories)
    for a, b in stories.edges:
        before = graph.get_edge_data(of[a], of[b], {"weight": 0.0})["weight"]
        graph.add_edge(of[a], of[b], weight=before + 1.0)
    return graph


def projected(pairs: list[tuple[str, str]]):
    """Who shares how much with whom, from pairs of one who shares and what is shared."""
    both = nx.Graph()
    both.add_edges_from((("who", who), ("what", what)) for who, what in pairs)
    if not pairs:
        return nx.Graph()
    graph = nx.Graph()
    for (_, a), (_, b), data in nx.bipartite.weighted_projected_graph(
        both, [node for node in both if node[0] == "who"]
    ).edges(data=True):
        if data["weight"] >= LEAST:
            graph.add_edge(a, b, weight=float(data["weight"]))
    return graph


def their_pages(frozen: Frozen, span: Timespan):
    """Each page that several sources link to, with how many do, and how many of their stories."""
    graph, dated, stories = nx.DiGraph(), inside(frozen, span), frozen.stories
    graph.add_edges_from(
        (a, stories[b].url) for a, b in frozen.links if a in dated and stories[a].media != stories[b].media
    )
    for page in frozen.pages:
        graph.add_edges_from((a, page.url) for a in page.linked_by if a in dated)
    for url in [node for node in graph if isinstance(node, str)]:
        sources = {stories[a].media for a in graph.predecessors(url)}
        if len(sources) > 1:
            yield url, str(len(sources)), str(graph.in_degree(url))


def their_sharing(frozen: Frozen, span: Timespan):
    dated, media = inside(frozen, span), [story.media for story in frozen.stories]
    links = [(media[a], f"s{b}") for a, b in frozen.links if a in dated and media[a] != media[b]]
    links += [(media[a], page.id) for page in frozen.pages for a in page.linked_by if a in dated]
    posts = [
        post
        for post in frozen.posts
        if (span.start is None or span.end is None or span.start <= post.day <= span.end)
        and (not span.focus or span.focus in frozen.stories[post.story].foci)
    ]
    yield "media_sharing", projected(links)
    if frozen.posts:
        yield "authors_sharing", projected([(post.author, str(post.story)) for post in posts])
        yield "channels_sharing", projected([(post.channel, str(post.story)) for post in posts])


def assert_same_graph(read, wanted, where: str) -> None:
    assert read.is_directed() == wanted.is_directed(), where
    assert set(read) == set(wanted), where
    assert _weights(read) == _weights(wanted), where


def _weights(graph):
    return {pair if graph.is_directed() else frozenset(pair): weight for pair, weight in _edges(graph)}


def _edges(graph):
    for a, b, data in graph.edges(data=True):
        yield (a, b), data["weight"]


def rows_of(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode())))


def assert_same_tables(files: dict[str, bytes], frozen: Frozen, span: Timespan, stories, media) -> None:
    """The tables of links and of pages that several link to; and what is counted of a source besides links."""
    folder = span.name
    links = [(row["source_stories_id"], row["ref_stories_id"]) for row in rows_of(files, f"{folder}/story_links.csv")]
    assert sorted(links) == sorted(stories.edges)
    between = [tuple(row.values()) for row in rows_of(files, f"{folder}/medium_links.csv")]
    assert sorted(between) == sorted((a, b, str(int(weight))) for (a, b), weight in _edges(media))
    of = {story.id: story.media for story in frozen.stories}
    by_media = {name: len({of[other] for other in stories.predecessors(name)}) for name in stories}
    for row in rows_of(files, f"{folder}/stories.csv"):
        assert int(row["media_inlink_count"]) == by_media[row["stories_id"]]
    for row in rows_of(files, f"{folder}/media.csv"):
        own = [name for name in stories if of[name] == row["media"]]
        assert int(row["story_count"]) == len(own)
        assert int(row["sum_media_inlink_count"]) == sum(by_media[name] for name in own)
    pages = [(row["url"], row["source_count"], row["story_count"]) for row in rows_of(files, f"{folder}/pages.csv")]
    assert sorted(pages) == sorted(their_pages(frozen, span))


def assert_same_counts(files: dict[str, bytes], folder: str, name: str, key: str, graph) -> None:
    rows = {row[key]: row for row in rows_of(files, f"{folder}/{name}.csv")}
    assert set(rows) == set(graph)
    ranks = nx.pagerank(graph, tol=1e-13, max_iter=1000) if len(graph) else {}
    for node, row in rows.items():
        assert float(row["pagerank"]) == pytest.approx(ranks[node], abs=2e-9), (folder, name, node)
        assert float(graph.in_degree(node, weight="weight")) == float(row["inlink_count"])
        assert float(graph.out_degree(node, weight="weight")) == float(row["outlink_count"])
        if name == "media":
            assert graph.in_degree(node) == int(row["media_inlink_count"])


def check(frozen: Frozen, files: dict[str, bytes]) -> None:
    """Compare an export with what networkx says."""
    for span in timespans_of(frozen):
        folder = span.name
        stories = their_stories(frozen, span)
        media = their_media(frozen, stories)
        assert_same_counts(files, folder, "stories", "stories_id", stories)
        assert_same_counts(files, folder, "media", "media", media)
        assert_same_tables(files, frozen, span, stories, media)
        for name, graph in chain([("stories", stories), ("media", media)], their_sharing(frozen, span)):
            gexf = files[f"{folder}/{name}.gexf"]
            assert broken_rules(gexf) == []
            read = nx.read_gexf(io.BytesIO(gexf), version="1.3")
            assert_same_graph(read, graph, f"{folder}/{name}.gexf")
            assert_same_graph(nx.read_graphml(io.BytesIO(files[f"{folder}/{name}.graphml"])), graph, f"{folder}/{name}")
            if name.endswith("_sharing"):
                table = [tuple(row.values()) for row in rows_of(files, f"{folder}/{name}.csv")]
                assert {(frozenset(row[:2]), float(row[2])) for row in table} == {
                    (frozenset(pair), weight) for pair, weight in _edges(graph)
                }
                assert {node: data["joined_count"] for node, data in read.nodes(data=True)} == dict(graph.degree())
                assert {node: data["shared_count"] for node, data in read.nodes(data=True)} == dict(
                    graph.degree(weight="weight")
                )


@pytest.mark.parametrize("number", [2, 3, 4, 6])
def test_an_export_is_what_another_program_works_out(number, exported):
    frozen = random_snapshot(number)
    check(frozen, exported(frozen))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1_000, 100))
def test_a_thousand_exports_are_what_another_program_works_out(first, exported):
    timespans = 0
    for number in range(first, first + 100):
        frozen = random_snapshot(number)
        check(frozen, exported(frozen))
        timespans += len(timespans_of(frozen))
    print(f"100 snapshots with {timespans} timespans: counts, PageRank and networks as networkx has them")


@pytest.mark.parametrize("to_file", [to_gexf, to_graphml])
def test_names_that_differ_in_nothing_that_xml_allows_are_two_nodes(to_file):
    nodes = [Node(name, name, (), (0, 0, 0), 1.0) for name in ("a (2)", "a", "a\x00", "a\x01")]
    data = to_file(Network("t", False, (), nodes, [(0, 1, 1.0), (1, 2, 2.0), (2, 3, 3.0)]))
    read = nx.read_gexf(io.BytesIO(data), version="1.3") if to_file is to_gexf else nx.read_graphml(io.BytesIO(data))
    assert len(read) == 4
    assert sorted(weight for _, weight in _edges(read)) == [1.0, 2.0, 3.0]

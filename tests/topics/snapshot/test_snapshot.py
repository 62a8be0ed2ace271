"""Figures, networks and exports of a frozen topic."""

import csv
import io
import json
import random
import struct
import zlib
from datetime import date
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tearsheet.topics.snapshot import parallel
from tearsheet.topics.snapshot.drawing import to_png, to_svg
from tearsheet.topics.snapshot.export import MediaMap, tables_of, to_csv, to_gexf, to_graphml, to_jsonl, to_parquet
from tearsheet.topics.snapshot.export_files import page_of, write_export, write_map
from tearsheet.topics.snapshot.frozen import Frozen, FrozenStory
from tearsheet.topics.snapshot.network import communities, layout, pagerank
from tearsheet.topics.snapshot.timespans import Figures, Timespan, figures, timespans_of
from tests.support.gexf_rules import broken_rules

MEDIA = {**dict.fromkeys([1, 2, 3, 4, 5, 15], "a.example"), **dict.fromkeys([7, 8, 9], "d.example"),
         **dict.fromkeys([10, 11, 13, 14], "f.example")}  # fmt: skip
PRIMES = (2, 3, 5, 7, 11, 13)


def story(number: int, **changes) -> FrozenStory:
    values: dict[str, Any] = {
        "id": f"{number:064}", "url": f"http://{MEDIA[number]}/{number}", "media": MEDIA[number], "title": f"Story {number}",
        "title_method": "page", "day": date(2024, 1, number), "date_method": "meta", "language": "en", "iteration": 0,
        "why": "matched in title",
    }  # fmt: skip
    return FrozenStory(**(values | changes))


@pytest.fixture
def frozen() -> Frozen:
    """Each prime links to its multiples, as far as they are in the topic: multiples of six are not."""
    numbers = sorted(MEDIA)
    place = {number: i for i, number in enumerate(numbers)}
    links = [(place[p], place[n]) for p in PRIMES for n in numbers if n > p and n % p == 0]
    return Frozen(
        topic="<Primes> & co",
        query="prime",
        start=date(2024, 1, 1),
        end=date(2024, 1, 31),
        timespans=((date(2024, 1, 2), date(2024, 1, 3)),),
        foci=(("even", "even"),),
        stories=tuple(
            story(n, foci=("even",) if n % 2 == 0 else (), facebook_shares=n if n < 3 else None) for n in numbers
        ),
        links=tuple(sorted(links)),
    )


def overall_of(frozen: Frozen) -> Figures:
    return figures(frozen, Timespan("overall", None, None))


def test_counts_between_sources(frozen):
    overall = figures(frozen, Timespan("overall", None, None))
    inlinks = {int(row.story.id): row.inlink_count for row in overall.stories if row.inlink_count}
    assert inlinks == {8: 1, 9: 1, 10: 2, 14: 2}
    assert {int(row.story.id): row.media_inlink_count for row in overall.stories if row.media_inlink_count} == {
        8: 1, 9: 1, 10: 1, 14: 2,
    }  # fmt: skip
    assert {int(row.story.id): row.outlink_count for row in overall.stories if row.outlink_count} == {
        2: 3, 3: 1, 5: 1, 7: 1,
    }  # fmt: skip
    media = {row.media: row for row in overall.media}
    assert overall.medium_links == (
        ("a.example", "d.example", 2),
        ("a.example", "f.example", 3),
        ("d.example", "f.example", 1),
    )
    assert (media["f.example"].story_count, media["f.example"].media_inlink_count) == (4, 2)
    assert (media["f.example"].inlink_count, media["f.example"].sum_media_inlink_count) == (4, 3)
    assert (media["a.example"].facebook_share_count, media["d.example"].facebook_share_count) == (3, None)
    assert len(overall.story_links) == 6


def test_a_timespan_has_its_days_and_what_they_link_to(frozen):
    custom = figures(frozen, Timespan("custom", date(2024, 1, 2), date(2024, 1, 3)))
    assert sorted(int(row.story.id) for row in custom.stories) == [2, 3, 8, 9, 10, 14]
    assert len(custom.story_links) == 4
    even = figures(frozen, Timespan("overall", None, None, "even"))
    assert sorted(int(row.story.id) for row in even.stories) == [2, 4, 8, 10, 14]


def test_timespans(frozen):
    names = [span.name for span in timespans_of(frozen)]
    assert names == [
        "overall", "weekly-2024-01-01-2024-01-07", "weekly-2024-01-08-2024-01-14", "weekly-2024-01-15-2024-01-21",
        "weekly-2024-01-22-2024-01-28", "weekly-2024-01-29-2024-02-04", "monthly-2024-01-01-2024-01-31",
        "custom-2024-01-02-2024-01-03", "overall-even",
    ]  # fmt: skip


def test_the_same_snapshot_gives_the_same_bytes(frozen, tmp_path):
    every = ["csv", "jsonl", "parquet", "gexf", "graphml", "svg", "png", "html"]
    first = write_export(frozen, tmp_path / "a", every)
    second = write_export(frozen, tmp_path / "b", every)
    assert len(first) == len(second) > 50
    for a, b in zip(first, second, strict=True):
        assert a.read_bytes() == b.read_bytes(), a


def test_processes_write_the_same_bytes(frozen, tmp_path, monkeypatch):
    alone = write_export(frozen, tmp_path / "a", ["csv", "html"])
    monkeypatch.setattr(parallel, "LARGE", 0)
    shared = write_export(frozen, tmp_path / "b", ["csv", "html"], workers=2)
    assert [file.relative_to(tmp_path / "b") for file in shared] == [file.relative_to(tmp_path / "a") for file in alone]
    for a, b in zip(alone, shared, strict=True):
        assert a.read_bytes() == b.read_bytes(), a


def test_the_tables_hold_the_figures(frozen):
    columns, rows = tables_of(overall_of(frozen))["stories"]
    read = list(csv.DictReader(io.StringIO(to_csv(columns, rows).decode())))
    assert len(read) == len(MEDIA)
    assert read[0]["title"] == "Story 14"
    assert read[0]["inlink_count"] == "2"
    assert json.loads(to_jsonl(columns, rows).splitlines()[0])["media"] == "f.example"
    import pyarrow.parquet as pq

    assert pq.read_table(io.BytesIO(to_parquet(columns, rows))).column("title").to_pylist() == [row[1] for row in rows]
    assert to_csv(["a"], [["=1+1"]]) == b"a\r\n'=1+1\r\n"


def test_networks_are_xml_with_every_source_and_link(frozen):
    chart = MediaMap(overall_of(frozen))
    gexf = etree.fromstring(to_gexf(chart, frozen.topic))
    name = "{http://gexf.net/1.3}"
    assert gexf.get("version") == "1.3"
    assert sorted(node.get("id") or "" for node in gexf.iter(name + "node")) == ["a.example", "d.example", "f.example"]
    assert len(list(gexf.iter("{http://gexf.net/1.3/viz}position"))) == 3
    edges = [(e.get("source"), e.get("target"), e.get("weight")) for e in gexf.iter(name + "edge")]
    assert ("a.example", "f.example", "3.0") in edges
    graphml = etree.fromstring(to_graphml(chart))
    assert len(list(graphml.iter("{http://graphml.graphdrawing.org/xmlns}edge"))) == 3


def test_gexf_keeps_the_rules_of_its_format(frozen):
    chart = MediaMap(overall_of(frozen))
    data = to_gexf(chart, frozen.topic)
    assert broken_rules(data) == []
    assert broken_rules(data.replace(b"</nodes>", b'<node label="x"/></nodes>')) == [
        "{http://gexf.net/1.3}node lacks id"
    ]
    assert broken_rules(data.replace(b'target="f.example"', b'target="g.example"', 1)) == [
        "an edge leads to no node: g.example"
    ]


@pytest.mark.parametrize("form", ["gexf", "graphml"])
def test_another_program_reads_the_network(frozen, form):
    overall = overall_of(frozen)
    chart = MediaMap(overall)
    if form == "gexf":
        graph = nx.read_gexf(io.BytesIO(to_gexf(chart, frozen.topic)), version="1.3")
    else:
        graph = nx.read_graphml(io.BytesIO(to_graphml(chart)))
    assert graph.is_directed()
    weights = sorted((a, b, data["weight"]) for a, b, data in graph.edges(data=True))
    assert weights == [(a, b, float(n)) for a, b, n in overall.medium_links]
    assert {name: data["inlink_count"] for name, data in graph.nodes(data=True)} == {
        row.media: row.inlink_count for row in overall.media
    }
    assert {data["label"] for _, data in graph.nodes(data=True)} == set(graph)
    assert "facebook_share_count" not in graph.nodes["d.example"]
    if form == "gexf":
        sizes = {name: data["viz"]["size"] for name, data in graph.nodes(data=True)}
        assert sizes == {row.media: chart.size(row) for row in chart.media}


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


def test_the_map_and_the_page_escape_what_came_from_the_web(frozen):
    svg = to_svg(MediaMap(overall_of(frozen)), frozen.topic)
    assert len(list(etree.fromstring(svg.encode()).iter("{http://www.w3.org/2000/svg}circle"))) == 3
    page = page_of(frozen)
    assert "<Primes>" not in page
    assert "&lt;Primes&gt; &amp; co" in page
    assert "src=" not in page.replace("script-src", "").replace("style-src", "").replace("default-src", "")


def test_the_picture_is_a_png(frozen):
    data = to_png(MediaMap(overall_of(frozen)), side=200)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    size = struct.unpack(">I", data[33:37])[0]
    pixels = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8)
    assert pixels.size == 200 * (1 + 3 * 200)
    assert len(np.unique(pixels)) > 10


def test_one_map_by_name(frozen, tmp_path):
    write_map(frozen, tmp_path / "m.svg", "custom-2024-01-02-2024-01-03")
    assert (tmp_path / "m.svg").read_text("utf-8").startswith("<svg")
    with pytest.raises(KeyError):
        write_map(frozen, tmp_path / "m.svg", "weekly-1")


def test_an_empty_topic(tmp_path):
    empty = Frozen("Nothing", "x", None, None, (), (), (), ())
    assert write_export(empty, tmp_path, ["csv", "gexf", "svg", "png", "html"])


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
    places = layout(10, edges, rounds=5)
    assert np.isfinite(places).all()
    assert np.abs(places).max() <= 1.0

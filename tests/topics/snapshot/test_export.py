"""Tables and networks that other programs read."""

import csv
import io
import json

import lazy_loader
import pytest
from lxml import etree

from tearsheet.topics.snapshot.export import MediaMap, tables_of
from tearsheet.topics.snapshot.export_files import table_bytes
from tearsheet.topics.snapshot.network_xml import to_gexf, to_graphml
from tearsheet.topics.snapshot.networks import media_network
from tests.support.frozen_primes import MEDIA, overall_of
from tests.support.gexf_rules import broken_rules

nx = lazy_loader.load("networkx")


def test_the_tables_hold_the_figures(frozen):
    columns, rows = tables_of(overall_of(frozen))["stories"]
    read = list(csv.DictReader(io.StringIO(table_bytes("csv", columns, rows).decode())))
    assert len(read) == len(MEDIA)
    assert read[0]["title"] == "Story 14"
    assert read[0]["inlink_count"] == "2"
    assert json.loads(table_bytes("jsonl", columns, rows).splitlines()[0])["media"] == "f.example"
    import pyarrow.parquet as pq

    table = pq.read_table(io.BytesIO(table_bytes("parquet", columns, rows)))
    assert table.column("title").to_pylist() == [row[1] for row in rows]
    assert table_bytes("csv", ["a"], [["=1+1"]]) == b"a\r\n'=1+1\r\n"


def test_networks_are_xml_with_every_source_and_link(frozen):
    chart = MediaMap(overall_of(frozen))
    gexf = etree.fromstring(to_gexf(media_network(chart, frozen.topic)))
    name = "{http://gexf.net/1.3}"
    assert gexf.get("version") == "1.3"
    assert sorted(node.get("id") or "" for node in gexf.iter(name + "node")) == ["a.example", "d.example", "f.example"]
    assert len(list(gexf.iter("{http://gexf.net/1.3/viz}position"))) == 3
    edges = [(e.get("source"), e.get("target"), e.get("weight")) for e in gexf.iter(name + "edge")]
    assert ("a.example", "f.example", "3.0") in edges
    graphml = etree.fromstring(to_graphml(media_network(chart, frozen.topic)))
    assert len(list(graphml.iter("{http://graphml.graphdrawing.org/xmlns}edge"))) == 3


def test_gexf_keeps_the_rules_of_its_format(frozen):
    chart = MediaMap(overall_of(frozen))
    data = to_gexf(media_network(chart, frozen.topic))
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
        graph = nx.read_gexf(io.BytesIO(to_gexf(media_network(chart, frozen.topic))), version="1.3")
    else:
        graph = nx.read_graphml(io.BytesIO(to_graphml(media_network(chart, frozen.topic))))
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

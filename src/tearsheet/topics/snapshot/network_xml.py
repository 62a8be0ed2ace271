"""A network in the formats that other programs read: GEXF 1.3 and GraphML. The same network gives the same bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import quoteattr

from tearsheet.topics.snapshot.palette import Color

_GRAPHML_KINDS = {"integer": "long", "double": "double", "string": "string"}


@dataclass(slots=True, frozen=True)
class Node:
    """A node with its values, one for each attribute of the network; None where it has none."""

    id: str
    label: str
    values: Sequence[Any]
    color: Color
    size: float
    position: tuple[float, float] | None = None


@dataclass(slots=True, frozen=True)
class Network:
    """Nodes and weighted edges between them, by their numbers."""

    title: str
    directed: bool
    attributes: Sequence[tuple[str, str]]
    """Names and kinds: `integer`, `double` or `string`."""
    nodes: Sequence[Node]
    edges: Sequence[tuple[int, int, float]]

    @property
    def kind(self) -> str:
        """As both formats call it."""
        return "directed" if self.directed else "undirected"


def to_gexf(network: Network) -> bytes:
    """The network as GEXF 1.3 with colours and sizes, and positions where there are some, for Gephi."""
    ids = _ids(network.nodes)
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<gexf xmlns="http://gexf.net/1.3" xmlns:viz="http://gexf.net/1.3/viz" version="1.3">',
        f"<meta><creator>Tearsheet</creator><description>{_text(network.title)}</description></meta>",
        f'<graph defaultedgetype="{network.kind}" mode="static">',
        '<attributes class="node" mode="static">',
        *(f'<attribute id="{i}" title="{name}" type="{kind}"/>' for i, (name, kind) in enumerate(network.attributes)),
        "</attributes>",
        "<nodes>",
        *(_gexf_node(id_, node) for id_, node in zip(ids, network.nodes, strict=True)),
        "</nodes>",
        "<edges>",
    ]
    out += [
        f'<edge id="{number}" source={ids[a]} target={ids[b]} weight="{weight}"/>'
        for number, (a, b, weight) in enumerate(network.edges)
    ]
    out += ["</edges>", "</graph>", "</gexf>", ""]
    return "\n".join(out).encode("utf-8", "replace")


def _gexf_node(id_: str, node: Node) -> str:
    values = "".join(
        f'<attvalue for="{i}" value={_attribute(str(value))}/>'
        for i, value in enumerate(node.values)
        if value is not None
    )
    red, green, blue = node.color
    position = ""
    if node.position is not None:
        x, y = node.position
        position = f'<viz:position x="{x:.2f}" y="{y:.2f}" z="0.0"/>'
    return (
        f"<node id={id_} label={_attribute(node.label)}><attvalues>{values}</attvalues>"
        f'<viz:color r="{red}" g="{green}" b="{blue}"/>{position}<viz:size value="{node.size}"/></node>'
    )


def to_graphml(network: Network) -> bytes:
    """The network as GraphML."""
    out = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
        '<key id="label" for="node" attr.name="label" attr.type="string"/>',
        *(
            f'<key id="{name}" for="node" attr.name="{name}" attr.type="{_GRAPHML_KINDS[kind]}"/>'
            for name, kind in network.attributes
        ),
        '<key id="weight" for="edge" attr.name="weight" attr.type="double"/>',
        f'<graph edgedefault="{network.kind}">',
    ]
    names, ids = [name for name, _ in network.attributes], _ids(network.nodes)
    for id_, node in zip(ids, network.nodes, strict=True):
        data = "".join(
            f'<data key="{name}">{_text(str(value))}</data>'
            for name, value in zip(names, node.values, strict=True)
            if value is not None
        )
        out.append(f'<node id={id_}><data key="label">{_text(node.label)}</data>{data}</node>')
    out += [
        f'<edge source={ids[a]} target={ids[b]}><data key="weight">{weight}</data></edge>'
        for a, b, weight in network.edges
    ]
    out += ["</graph>", "</graphml>", ""]
    return "\n".join(out).encode("utf-8", "replace")


def _ids(nodes: Sequence[Node]) -> list[str]:
    """The ids, quoted. Names that strangers chose may be the same but for characters that XML does not allow."""
    found: dict[str, None] = {}
    for node in nodes:
        plain = id_ = _plain(node.id)
        while id_ in found:
            id_ = f"{plain} ({len(found)})" if id_ == plain else f"{id_}'"
        found[id_] = None
    return [quoteattr(id_) for id_ in found]


def _plain(text: str) -> str:
    """Remove characters that XML does not allow."""
    return "".join(c for c in text if c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff")


def _attribute(text: str) -> str:
    return quoteattr(_plain(text))


def _text(text: str) -> str:
    return _plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")

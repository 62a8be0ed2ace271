"""The rules of GEXF 1.3 that a static network with colours, sizes and places must keep, as its specification gives them."""

from __future__ import annotations

from lxml import etree

GEXF, VIZ = "{http://gexf.net/1.3}", "{http://gexf.net/1.3/viz}"
CHILDREN: dict[str, list[str]] = {
    f"{GEXF}gexf": [f"{GEXF}meta", f"{GEXF}graph"],
    f"{GEXF}meta": [f"{GEXF}creator", f"{GEXF}keywords", f"{GEXF}description"],
    f"{GEXF}graph": [f"{GEXF}attributes", f"{GEXF}nodes", f"{GEXF}edges"],
    f"{GEXF}attributes": [f"{GEXF}attribute"],
    f"{GEXF}nodes": [f"{GEXF}node"],
    f"{GEXF}edges": [f"{GEXF}edge"],
    f"{GEXF}node": [f"{GEXF}attvalues", f"{VIZ}color", f"{VIZ}position", f"{VIZ}size"],
    f"{GEXF}attvalues": [f"{GEXF}attvalue"],
}
"""What may stand in an element, in this order."""
ATTRIBUTES: dict[str, tuple[set[str], set[str]]] = {
    f"{GEXF}gexf": ({"version"}, set()),
    f"{GEXF}meta": (set(), {"lastmodifieddate"}),
    f"{GEXF}graph": (set(), {"defaultedgetype", "mode", "idtype"}),
    f"{GEXF}attributes": ({"class"}, {"mode"}),
    f"{GEXF}attribute": ({"id", "title", "type"}, set()),
    f"{GEXF}node": ({"id"}, {"label"}),
    f"{GEXF}edge": ({"source", "target"}, {"id", "weight", "type", "label"}),
    f"{GEXF}attvalue": ({"for", "value"}, set()),
    f"{VIZ}color": ({"r", "g", "b"}, {"a"}),
    f"{VIZ}position": ({"x", "y"}, {"z"}),
    f"{VIZ}size": ({"value"}, set()),
}
"""Attributes that must and that may be there."""
VALUES = {
    (f"{GEXF}gexf", "version"): {"1.3"},
    (f"{GEXF}graph", "defaultedgetype"): {"directed", "undirected", "mutual"},
    (f"{GEXF}graph", "mode"): {"static", "dynamic"},
    (f"{GEXF}attributes", "class"): {"node", "edge"},
    (f"{GEXF}attribute", "type"): {"integer", "long", "double", "float", "boolean", "string", "liststring", "anyURI"},
}


def broken_rules(data: bytes) -> list[str]:
    """What is wrong with a file; nothing, where nothing is."""
    root = etree.fromstring(data)
    found = [] if root.tag == f"{GEXF}gexf" else [f"the root is {root.tag}"]
    for element in root.iter():
        found += _of_element(element)
    found += _of_references(root)
    return found


def _of_element(element: etree._Element) -> list[str]:
    tag = str(element.tag)
    order = CHILDREN.get(tag, [])
    places = [order.index(child.tag) if child.tag in order else -1 for child in element]
    found = [f"{tag} may not hold {child.tag}" for child, place in zip(element, places, strict=True) if place < 0]
    if places != sorted(places):
        found.append(f"the children of {tag} are out of order")
    must, may = ATTRIBUTES.get(tag, (set(), set()))
    said = {str(name): str(value) for name, value in element.items()}
    found += [f"{tag} lacks {name}" for name in must - said.keys()]
    found += [f"{tag} may not have {name}" for name in said.keys() - must - may]
    for name, value in said.items():
        if value not in VALUES.get((tag, name), {value}):
            found.append(f"{tag} {name} may not be {value}")
        if tag.startswith(VIZ) and not _is_number(value):
            found.append(f"{tag} {name} is no number")
    if tag == f"{VIZ}color" and not all(value.isdecimal() and int(value) < 256 for value in said.values()):
        found.append("a colour is three whole numbers below 256")
    return found


def _of_references(root: etree._Element) -> list[str]:
    nodes = [node.get("id") for node in root.iter(f"{GEXF}node")]
    edges = [edge.get("id") for edge in root.iter(f"{GEXF}edge")]
    kinds = {attribute.get("id"): attribute.get("type") for attribute in root.iter(f"{GEXF}attribute")}
    found = [
        f"two {what} have one id" for what, ids in (("nodes", nodes), ("edges", edges)) if len(set(ids)) < len(ids)
    ]
    for edge in root.iter(f"{GEXF}edge"):
        found += [
            f"an edge leads to no node: {edge.get(end)}" for end in ("source", "target") if edge.get(end) not in nodes
        ]
        if edge.get("weight") is not None and not _is_number(edge.get("weight") or ""):
            found.append("a weight is no number")
    for value in root.iter(f"{GEXF}attvalue"):
        kind, text = kinds.get(value.get("for")), value.get("value") or ""
        whole = kind in ("integer", "long")
        if kind is None:
            found.append(f"a value of no attribute: {value.get('for')}")
        elif (whole and not text.lstrip("-").isdecimal()) or (kind in ("double", "float") and not _is_number(text)):
            found.append(f"{text} is no {kind}")
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True

"""Names of time zones and of the halves of the day, as feeds write them."""

from __future__ import annotations

ZONE_MINUTES = {
    "z": 0, "ut": 0, "utc": 0, "gmt": 0, "wet": 0, "uct": 0, "zulu": 0,
    "bst": 60, "west": 60, "cet": 60, "mez": 60, "met": 60, "wat": 60,
    "cest": 120, "mesz": 120, "mest": 120, "eet": 120, "sast": 120, "cat": 120,
    "eest": 180, "msk": 180, "trt": 180, "eat": 180, "idt": 180,
    "msd": 240, "gst": 240, "pkt": 300, "ist": 330, "npt": 345, "wib": 420, "ict": 420,
    "hkt": 480, "sgt": 480, "awst": 480, "pht": 480, "myt": 480, "wita": 480, "jst": 540, "kst": 540, "wit": 540,
    "acst": 570, "aest": 600, "acdt": 630, "aedt": 660, "nzst": 720, "nzdt": 780,
    "nst": -210, "ndt": -150, "ast": -240, "adt": -180, "brt": -180, "art": -180, "clt": -240,
    "est": -300, "edt": -240, "et": -300, "cst": -360, "cdt": -300, "ct": -360,
    "mst": -420, "mdt": -360, "mt": -420, "pst": -480, "pdt": -420, "pt": -480,
    "akst": -540, "akdt": -480, "hst": -600,
}  # fmt: skip
"""Maps zone names to minutes east of Greenwich. Ambiguous names mean what RFC 822 says (EST, CST …), else the larger zone."""

AFTERNOON = frozenset({"pm", "p.m.", "p.m", "오후", "下午", "午後"})
FORENOON = frozenset({"am", "a.m.", "a.m", "오전", "上午", "午前"})

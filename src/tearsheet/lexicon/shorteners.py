"""Hosts whose addresses are short forms of others. Their addresses are case-sensitive."""

from __future__ import annotations

SHORTENERS = frozenset(
    """
    amzn.to apne.ws bbc.in bit.ly bloom.bg buff.ly cbsn.ws cnb.cx cnn.it cutt.ly dlvr.it econ.st ebx.sh es.pn
    fb.me flip.it for.tn fxn.ws gizmo.do goo.gl gu.com hill.cm huff.to ift.tt interc.pt is.gd j.mp lat.ms
    lnkd.in mol.im n.pr nbcnews.to nyp.st nyti.ms on.cnn.com on.ft.com on.wsj.com ow.ly po.st politi.co pops.ci
    rebrand.ly reut.rs rol.st s.id share.es shar.es shorturl.at slate.me snip.ly spoti.fi t.co t.ly ti.me
    tcrn.ch tgam.ca theatln.tc tiny.cc tinyurl.com trib.al tr.im u.to usat.ly v.gd vntyfr.com wapo.st wh.gov
    wp.me wrd.cm x.co yhoo.it youtu.be
    """.split()
)

"""Every feature of HTML, SVG, MathML, CSS and HTTP that can make a browser connect to somebody or look up a name.

Each names a host of its own below `leak.example`, so that what leaks can be told apart. `URL` stands for its address. What a reader
has to touch before anything happens has the class `go`.
"""

from __future__ import annotations

from collections.abc import Callable

LEAK = "leak.localhost"

RELATIONS = (
    "alternate amphtml apple-touch-icon apple-touch-startup-image author bookmark canonical compression-dictionary dns-prefetch "
    "edituri expect external facilitated-payment fluid-icon help icon import license manifest mask-icon me micropub modulepreload "
    "monetization next opensearch payment pingback preconnect prefetch preload prerender prev privacy-policy profile search "
    "shortcut shortlink sitemap stylesheet subresource terms-of-service webmention wlwmanifest"
).split()
"""Of `link`."""

LOADED = {
    "img": "<img src=URL>",
    "srcset": "<img srcset='URL 1x, URL 2x' sizes=100vw>",
    "lazy": "<img loading=lazy src=URL lowsrc=URL dynsrc=URL>",
    "image": "<image src=URL>",
    "picture": "<picture><source srcset='URL' media=all><img></picture>",
    "poster": "<video autoplay poster=URL></video>",
    "video": "<video autoplay src=URL></video>",
    "videosource": "<video autoplay><source src=URL type=video/mp4></video>",
    "audio": "<audio autoplay preload=auto src=URL></audio>",
    "audiosource": "<audio autoplay preload=auto><source src=URL></audio>",
    "track": "<video autoplay><track default kind=captions src=URL></video>",
    "bgsound": "<bgsound src=URL>",
    "inputimage": "<input type=image src=URL>",
    "background": "<body background=URL><table background=URL><tr background=URL><td background=URL>x</table>",
    "button": "<button background=URL style='background: url(URL)'>x</button>",
    "marquee": "<marquee style='list-style: url(URL)'>x</marquee>",
    "model": "<model src=URL></model>",
    "script": "<script src=URL></script>",
    "asyncscript": "<script async src=URL></script><script defer src=URL></script><script type=module src=URL></script>",
    "module": "<script type=module>import 'URL'</script>",
    "importmap": '<script type=importmap>{"imports": {"a": "URL"}}</script><script type=module>import "a"</script>',
    "fetch": "<script>fetch('URL'); navigator.sendBeacon('URL'); new WebSocket('URL'.replace('http', 'ws'))</script>",
    "rtc": "<script>new RTCPeerConnection({iceServers: [{urls: 'stun:rtc.HOST:3478'}]}).createDataChannel('x')</script>",
    "worker": "<script>new Worker('URL'); navigator.serviceWorker.register('URL')</script>",
    "sourcemap": "<script>1\n//# sourceMappingURL=URL\n</script><style>p{}\n/*# sourceMappingURL=URL */</style>",
    "handler": "<img src=data:, onerror=\"new Image().src = 'URL'\"><body onload=\"fetch('URL')\">",
    "rules": '<script type=speculationrules>{"prerender": [{"urls": ["URL"]}], "prefetch": [{"urls": ["URL"]}]}</script>',
    "eager": '<script type=speculationrules>{"prefetch": [{"where": {"href_matches": "*"}, "eagerness": "immediate"}]}</script>',
}
"""What is loaded with the page."""

SVG = {
    "svgimage": "<image href=URL xlink:href=URL width=9 height=9 />",
    "svguse": "<use href=URL#a xlink:href=URL#a />",
    "svgfilter": "<filter id=f><feImage href=URL xlink:href=URL /></filter><rect width=9 height=9 filter=url(#f) />",
    "svgpaint": "<rect width=9 height=9 fill=url(URL#a) stroke=url(URL#a) filter=url(URL#a) "
    "mask=url(URL#a) clip-path=url(URL#a) />",
    "svgmarker": "<path d='M0 0L9 9' marker-start=url(URL#a) marker-end=url(URL#a) />",
    "svggradient": "<linearGradient id=g href=URL#a xlink:href=URL#a /><pattern id=p href=URL#a /><rect fill=url(#g) />",
    "svgtext": "<text><textPath href=URL#a>x</textPath><tref xlink:href=URL /></text>",
    "svgcursor": "<cursor xlink:href=URL /><font-face-uri xlink:href=URL /><altGlyph xlink:href=URL />",
    "svgforeign": "<foreignObject width=9 height=9><img src=URL></foreignObject>",
    "svgscript": "<script href=URL xlink:href=URL></script>",
    "svgset": "<image width=9 height=9><set attributeName=href to=URL /></image>",
    "svganimate": "<image width=9 height=9><animate attributeName=href values='URL;URL' dur=1s /></image>",
    "svgstyle": "<style>rect { mask-image: url(URL) } @import 'URL';</style>",
    "svglink": "<link rel=preconnect href=URL />",
    "svgmedia": "<video src=URL></video><audio src=URL></audio><iframe src=URL></iframe>",
}
"""In an `svg`."""

STYLES = {
    "import": "@import 'URL';",
    "importurl": "@import url(URL) layer(a) supports(display: grid) screen;",
    "namespace": "@namespace x 'URL';",
    "font": "@font-face { font-family: f; src: local('nothing'), url(URL) } p { font: 1em f }",
    "ground": "p { background: url(URL), image-set(url(URL) 1x, 'URL' 2x), -webkit-image-set(url(URL) 1x) }",
    "crossfade": "p { background-image: cross-fade(url(URL), url(URL), 50%); border-image: url(URL) 1 }",
    "liststyle": "li { display: list-item; list-style-image: url(URL) }",
    "content": "p::before { content: url(URL) } p::after { content: image-set('URL' 1x) } p::marker { content: url(URL) }",
    "cursor": "body { cursor: url(URL), auto }",
    "mask": "p { mask: url(URL); -webkit-mask-image: url(URL); -webkit-mask-box-image: url(URL) }",
    "filter": "p { filter: url(URL#a); backdrop-filter: url(URL#a); clip-path: url(URL#a) }",
    "shape": "p { shape-outside: url(URL); offset-path: url(URL#a) }",
    "behavior": "p { behavior: url(URL); -moz-binding: url(URL#a) }",
    "custom": "p { --x: url(URL); background: var(--x) }",
    "property": "@property --y { syntax: '<url>'; inherits: true; initial-value: url(URL) } p { background: var(--y) }",
    "cornershape": "p:hover { background: url(URL) } p:first-line { background: url(URL) }",
    "colourprofile": "@color-profile --z { src: url(URL) } p { color: color(--z 0 0 0) }",
    "document": "@document url(URL) { p { color: red } } @font-feature-values f { @styleset { a: 1 } }",
    "keyframes": "@keyframes k { from { background: url(URL) } to { background: url(URL) } } p { animation: k 1s }",
    "escaped": "p { background: \\75 rl(URL) } @\\69mport 'URL';",
}
"""In a `style`, and the declarations also in attributes."""

FRAMED = {
    "iframe": "<iframe src=URL></iframe>",
    "lazyframe": "<iframe loading=lazy src=URL></iframe><iframe loading=eager fetchpriority=high src=URL></iframe>",
    "credless": "<iframe credentialless src=URL></iframe><iframe csp=\"default-src 'self'\" src=URL></iframe>",
    "topics": "<iframe browsingtopics sharedstoragewritable adauctionheaders src=URL></iframe>",
    "fenced": "<fencedframe src=URL></fencedframe>",
    "portal": "<portal src=URL></portal>",
    "webview": "<webview src=URL></webview>",
    "object": "<object data=URL></object><object data=URL type=text/html></object>",
    "objectsvg": "<object data=URL type=image/svg+xml></object><object data=URL type=application/pdf></object>",
    "objectold": "<object classid=URL codebase=URL archive=URL><param name=movie value=URL></object>",
    "embed": "<embed src=URL><embed type=text/html src=URL><embed type=application/pdf src=URL pluginspage=URL>",
    "applet": "<applet codebase=URL code=a.class archive=URL></applet>",
    "inner": "<iframe srcdoc='<link rel=preconnect href=URL><img src=URL><iframe src=URL></iframe>'></iframe>",
    "innerrefs": "<iframe srcdoc='&lt;&#108;ink rel=preconnect href=URL&gt;"
    '&lt;meta http-equiv=refresh content="0;url=URL">\'></iframe>',
    "innerdata": "<iframe src='data:text/html,<link rel=preconnect href=URL><iframe src=URL>'></iframe>",
    "innercoded": "<iframe src='data:text/html,%3C%6Cink%20rel=preconnect%20href=URL%3E'></iframe>",
    "innersvg": '<iframe src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><image href="URL"/></svg>\'></iframe>',
    "innerobject": "<object data='data:text/html,<link rel=preconnect href=URL>'></object>"
    "<embed src='data:text/html,<iframe src=URL>'>",
    "picturesvg": '<img src=\'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><image href="URL"/></svg>\'>',
    "picturexml": '<img src=\'data:image/svg+xml,<?xml-stylesheet href="URL"?><svg xmlns="http://www.w3.org/2000/svg"/>\'>',
    "innerscript": "<iframe src=\"javascript:location='URL'\"></iframe>",
}
"""Documents inside the document."""

STATED = {
    "refresh": "<meta http-equiv=refresh content='0; url=URL'>",
    "policy": "<meta http-equiv=content-security-policy content=\"img-src 'none'; report-uri URL; report-to x\">",
    "reportonly": "<meta http-equiv=content-security-policy-report-only content=\"img-src 'none'; report-uri URL\">",
    "reporting": "<meta http-equiv=reporting-endpoints content='default=\"URL\"'>",
    "nel": '<meta http-equiv=report-to content=\'{"group":"n","max_age":9,"endpoints":[{"url":"URL"}]}\'>',
    "lookups": "<meta http-equiv=x-dns-prefetch-control content=on><a href=URL>looked up</a>",
    "linked": "<meta http-equiv=link content='<URL>; rel=preconnect'>",
    "hints": "<meta http-equiv=delegate-ch content='sec-ch-dpr URL'><meta http-equiv=accept-ch content=dpr>",
    "trial": "<meta http-equiv=origin-trial content=AAAA><meta name=referrer content=unsafe-url>",
    "cookie": "<meta http-equiv=set-cookie content='a=b; domain=HOST'>",
    "moneymeta": "<meta name=monetization content=URL><meta property=og:image content=URL>",
    "charset": "<meta http-equiv=content-type content='text/html; charset=utf-7'>+ADw-link rel=preconnect href=URL+AD4-",
    "base": "<base href=URL><img src=relative.png><link rel=preconnect href=relative>",
    "attribution": "<img attributionsrc=URL src=data:,><script attributionsrc=URL></script><a attributionsrc=URL href=#x>a</a>",
    "template": "<div><template shadowrootmode=open><link rel=preconnect href=URL><iframe src=URL></iframe></template></div>",
    "unscripted": "<noscript><link rel=preconnect href=URL><iframe src=URL></iframe></noscript>",
    "nothing": "<!--><link rel=preconnect href=URL>--><noframes><link rel=preconnect href=URL></noframes>",
    "closed": "<textarea></textarea/><link rel=preconnect href=URL><title></title x><link/rel=dns-prefetch/href=URL>",
    "cdata": "<svg><![CDATA[><link rel=preconnect href=URL>]]></svg><math><mi><![CDATA[<link rel=preconnect href=URL>",
    "instruction": "<?xml-stylesheet href='URL'?><?import namespace=x implementation=URL?>",
    "quoted": "<p title='a'><a title=\"'\"><LINK\tREL='PRECONNECT'\nHREF='URL'><lInK\frel=dns-prefetch\rhref=//quoted.HOST>",
    "manifest": "<html manifest=URL><head profile=URL>",
    "facts": "<div itemscope itemtype=URL itemid=URL><q cite=URL>x</q><img longdesc=URL></div><a rel=me href=URL></a>",
    "datasrc": "<xml id=x src=URL></xml><ilayer src=URL></ilayer><layer src=URL></layer><table datasrc=URL></table>",
    "autofocus": "<form action=URL><input autofocus onfocus=\"location='URL'\"></form><dialog open><input autofocus></dialog>",
}
"""What a page says about itself, and the ways to hide an element from one reader of the page and not from another."""

LEAVING = ("refresh", "autofocus")
"""Those of them that lead to another page without a reader's hand."""

TOUCHED = {
    "clicked": "<a class=go ping=URL href=URL>click me</a>",
    "self": "<a class=go target=_self href=URL>click me</a>",
    "top": "<a class=go target=_top href=URL>click me</a><a class=go target=_parent href=URL>click me</a>",
    "download": "<a class=go download href=URL>click me</a>",
    "blank": "<a class=go rel='opener prefetch preconnect' target=x href=URL>click me</a>",
    "mathlink": "<math><mtext class=go href=URL>click me</mtext><mrow class=go xlink:href=URL><mi>click me</mi></mrow></math>",
    "matha": "<math><a class=go href=URL><mtext>click me</mtext></a></math>",
    "svga": "<svg width=99 height=20><a class=go href=URL xlink:href=URL><text y=15>click me</text></a></svg>",
    "svgtarget": "<svg width=99 height=20><a class=go href=URL><set attributeName=target to=_self />"
    "<text y=15>click me</text></a></svg>",
    "svgmoving": "<svg width=99 height=20><a class=go target=_self href=#a>"
    "<animate attributeName=target values='_self;_self' dur=9s />"
    "<animate attributeName=xlink:href values='URL;URL' dur=9s /><set attributeName=href to=URL />"
    "<text y=15>click me</text></a></svg>",
    "map": "<img class=go usemap=#m width=30 height=30><map name=m><area shape=default href=URL ping=URL></map>",
    "send": "<form action=URL><input name=a><button class=go>send</button></form>",
    "sendhere": "<form><button class=go formaction=URL formtarget=_self>send</button>"
    "<input class=go type=submit formaction=URL></form>",
    "sendimage": "<form action=URL method=post target=_blank><input class=go type=image alt=send></form>",
    "senddialog": "<form action=URL method=dialog><button class=go>send</button></form>",
    "labelled": "<form id=l action=URL></form><label class=go for=lb>send</label><button id=lb form=l>send</button>",
    "tracked": "<a class=go href=#x attributionsrc=URL ping=URL>click me</a>",
    "summary": "<details><summary class=go>open</summary><img src=URL><iframe src=URL></iframe></details>",
    "popover": "<button class=go popovertarget=po>open</button><div id=po popover><iframe src=URL></iframe></div>",
    "invoked": "<button class=go command=show-modal commandfor=di>open</button><dialog id=di><iframe src=URL></iframe></dialog>",
    "interest": "<button class=go interestfor=po>open</button><a class=go interestfor=po href=URL>hover</a>",
    "player": "<video class=go controls width=90 height=40 preload=none src=URL></video>",
    "datalink": "<a class=go href='data:text/html,<link rel=preconnect href=URL><iframe src=URL></iframe>'>click me</a>",
    "fragment": "<a class=go href='#//fragment.HOST/'>click me</a><a class=go href='&#35;' ping=URL>click me</a>",
    "telephone": "<a class=go href=web+x:URL>click me</a>",
    "scripted": "<a class=go href=\"javascript:location='URL'\">click me</a>",
}
"""What waits for a reader's hand."""

HEADERS = {
    "linkheader": (
        "Link",
        "<URL>; rel=preconnect, <URL>; rel=preload; as=image, <URL>; rel=stylesheet, <URL>; rel=dns-prefetch",
    ),
    "refreshheader": ("Refresh", "0; url=URL"),
    "reportto": ("Report-To", '{"group":"default","max_age":99,"endpoints":[{"url":"URL"}]}'),
    "endpoints": ("Reporting-Endpoints", 'default="URL"'),
    "nelheader": ("NEL", '{"report_to":"default","max_age":99,"success_fraction":1}'),
    "rulesheader": ("Speculation-Rules", '"URL"'),
    "policyheader": ("Content-Security-Policy-Report-Only", "default-src 'none'; report-uri URL"),
    "openerheader": ("Cross-Origin-Opener-Policy-Report-Only", 'same-origin; report-to="default"'),
    "otherservice": ("Alt-Svc", 'h3="otherservice.HOST:443"; ma=99'),
    "mapheader": ("SourceMap", "URL"),
    "attributed": ("Attribution-Reporting-Register-Source", '{"destination":"URL"}'),
    "lookupsheader": ("X-DNS-Prefetch-Control", "on"),
    "location": ("Location", "URL"),
    "contentlocation": ("Content-Location", "URL"),
    "dictionary": ("Use-As-Dictionary", 'match="/*"'),
    "workerheader": ("Service-Worker-Allowed", "/"),
    "trialheader": ("Origin-Trial", "AAAA"),
    "hintsheader": ("Critical-CH", "DPR"),
    "pingback": ("X-Pingback", "URL"),
    "loading": ("Supports-Loading-Mode", "credentialed-prerender"),
    "observed": ("Observe-Browsing-Topics", "?1"),
    "loginstatus": ("Set-Login", "logged-in"),
    "session": ("Secure-Session-Registration", '(ES256);path="URL"'),
    "cookieheader": ("Set-Cookie", "a=b"),
}
"""Of the captured answer, and of the early hints before it."""


def filled(name: str, text: str, host: str) -> str:
    """The text with the address and host of this feature."""
    return text.replace("URL", f"http://{name}.{host}/x").replace("HOST", host)


def _all(features: dict[str, str], host: str) -> str:
    return "\n".join(filled(name, text, host) for name, text in features.items())


def _links(host: str) -> str:
    made = {
        f"rel-{name}": f"<link rel='{name}' as=image crossorigin imagesrcset='URL 1x' href=URL>" for name in RELATIONS
    }
    return _all(made, host)


def _styles(host: str) -> str:
    return "".join(f"<style>{filled(f'css-{name}', text, host)}</style>" for name, text in STYLES.items()) + "".join(
        f'<p style="{filled(f"att-{name}", text, host).partition("{")[2].partition("}")[0]}">x</p>'
        for name, text in STYLES.items()
    )


def everything(host: str, *, leaving: bool = True) -> str:
    """One page with all of it; with or without what would lead the reader to another page at once."""
    stated = {name: text for name, text in STATED.items() if leaving or name not in LEAVING}
    drawn = "".join(f"<svg>{filled(name, text, host)}</svg>" for name, text in SVG.items())
    return (
        f"<!doctype html><html><head><title>News</title>{_links(host)}{_styles(host)}</head><body><p>News</p><ul><li>x</ul>"
        f"{_all(TOUCHED, host)}{_all(LOADED, host)}{drawn}{_all(FRAMED, host)}{_all(stated, host)}</body></html>"
    )


def recorded_headers(host: str) -> list[tuple[str, str]]:
    """The headers, as a captured answer has them."""
    return [(name, filled(feature, text, host)) for feature, (name, text) in HEADERS.items()]


def _early(host: str) -> str:
    """What connects most surely, for pages whose other parts matter."""
    return filled(
        "early", "<link rel=preconnect href=URL><link rel=dns-prefetch href=URL><iframe src=URL></iframe>", host
    )


def _drawing(host: str) -> str:
    drawn = "".join(filled(name, text, host) for name, text in SVG.items() if "<link" not in text)
    return (
        f'<?xml version="1.0"?><?xml-stylesheet href="http://sheet.{host}/"?>'
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">{drawn}'
        f'<html:link xmlns:html="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://prefixed.{host}/"/></svg>'
    )


def _xhtml(host: str) -> str:
    return (
        f'<?xml version="1.0"?><?xml-stylesheet href="http://sheet.{host}/"?>'
        f'<!DOCTYPE html SYSTEM "http://definition.{host}/x.dtd" [<!ENTITY e SYSTEM "http://entity.{host}/">]>'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xmlns:h="http://www.w3.org/1999/xhtml"><head>'
        f'<h:link rel="preconnect" href="http://prefixed.{host}/"/>{_early(host)}</head><body>&e;</body></html>'
    )


def _frameset(host: str) -> str:
    frames = f"<frame src=http://frame.{host}/><frame srcdoc='{_early(host)}'>"
    return f"<frameset cols=*,* background=http://ground.{host}/>{frames}</frameset>"


def _pdf(host: str) -> bytes:
    action = f"<< /S /URI /URI (http://action.{host}/) >>"
    return f"%PDF-1.4\n1 0 obj << /Type /Catalog /OpenAction {action} >> endobj\n{_early(host)}\ntrailer << /Root 1 0 R >>".encode()


DOCUMENTS: dict[str, Callable[[str], tuple[bytes, str | None]]] = {
    "everything": lambda host: (everything(host).encode(), "utf-8"),
    "unlabelled": lambda host: (_early(host).encode(), None),
    "utf16le": lambda host: (b"\xff\xfe" + _early(host).encode("utf-16-le"), "utf-8"),
    "utf16be": lambda host: (b"\xfe\xff" + _early(host).encode("utf-16-be"), "utf-8"),
    "utf16bare": lambda host: (_early(host).encode("utf-16-le"), "utf-16"),
    "utf32": lambda host: (b"\xff\xfe\0\0" + _early(host).encode("utf-32-le"), "utf-32"),
    "utf7": lambda host: (b"<meta charset=utf-7>" + _early(host).encode("utf-7"), "utf-7"),
    "utf8mark": lambda host: (b"\xef\xbb\xbf\xff\xfe" + _early(host).encode("utf-16-le"), "utf-8"),
    "twomarks": lambda host: (b"\xef\xbb\xbf\xef\xbb\xbf" + _early(host).encode(), "utf-8"),
    "iso2022jp": lambda host: (_early(host).replace("<", "<\x1b(B").encode(), "iso-2022-jp"),
    "iso2022yen": lambda host: (b"\x1b(J" + _early(host).encode(), "iso-2022-jp"),
    "hz": lambda host: (_early(host).replace("<", "~\n<").encode(), "hz-gb-2312"),
    "ebcdic": lambda host: (_early(host).encode("cp037"), "cp037"),
    "shiftjis": lambda host: (_early(host).replace("<", "\x81<").encode("latin-1"), "shift_jis"),
    "gb18030": lambda host: (_early(host).replace("<", "\x81<").encode("latin-1"), "gb18030"),
    "cut": lambda host: (_early(host).replace("link", "li\xc3nk").encode("latin-1") + b"\xe2\x82", "utf-8"),
    "nulls": lambda host: (_early(host).replace("link", "li\0nk").replace("<", "\0<\0").encode(), "utf-8"),
    "drawing": lambda host: (_drawing(host).encode(), "utf-8"),
    "xhtml": lambda host: (_xhtml(host).encode(), "utf-8"),
    "frameset": lambda host: (_frameset(host).encode(), "utf-8"),
    "pdf": lambda host: (_pdf(host), None),
    "plaintext": lambda host: (f"<plaintext>{_early(host)}".encode(), "utf-8"),
}
"""Whole documents, each with the charset that its server stated."""

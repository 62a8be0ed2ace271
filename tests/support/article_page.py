"""A page to take apart: an article among navigation, teasers, comments and a footer."""

SENTENCES = (
    "The council agreed on Tuesday to rebuild the old stone bridge, which had been closed since the flood of last spring.",
    "Engineers who examined the arches said that two of them could be saved, while the third would have to be taken down.",
    "“We owe it to the people on both banks,” said the mayor, Anna Field, after a debate that lasted well into the night.",
    "The work is expected to begin in March and to cost about two million pounds, half of which the county will pay.",
    "Residents have had to drive eleven miles to the next crossing, and several shops near the river have given up.",
    "A temporary footbridge, promised in June, was never built because no company offered to do it for the price.",
)


def article_page(*, head: str = "", extra: str = "", lang: str = "en-GB") -> str:
    """The page as text; `head` is added to its head and `extra` behind the article."""
    paragraphs = "\n".join(f"<p>{sentence} {SENTENCES[(i + 1) % 6]}</p>" for i, sentence in enumerate(SENTENCES))
    items = "".join(f'<li><a href="/story-{i}">Another story number {i}</a></li>' for i in range(12))
    return f"""<!DOCTYPE html><html lang="{lang}"><head><title>Council to rebuild bridge | The Daily Example</title>
<meta property="og:site_name" content="The Daily Example"><meta name="description" content="The old bridge comes back.">
{head}</head><body><header><a href="/">The Daily Example</a></header><nav><ul><li><a href="/news">News</a></li></ul></nav>
<main><article class="post"><h1>Council to rebuild bridge</h1>
<p class="byline">By <a rel="author" href="/author/jo">Jo Walters</a></p>
<div class="entry-content">{paragraphs}</div></article></main>
<div class="related-posts"><h3>Related stories</h3><ul>{items}</ul></div>{extra}
<footer>© 2024 The Daily Example. All rights reserved.</footer></body></html>"""

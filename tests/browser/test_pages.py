"""The pages in a real browser: readable for everybody, on every screen, and harmless."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

pytestmark = pytest.mark.browser

PATHS = {
    "front": "/",
    "search": "/search?q=climate+AND+%22sea+wall%22",
    "help": "/search",
    "wrong query": "/search?q=climate+AND+(wall",
    "wrong filter": "/search?q=climate&collection=none+of+these",
    "narrowed": "/search?q=climate&collection=English+papers&by=share",
    "no match": "/search?q=zebra&language=en",
    "story": "/stories/{id}",
    "replay": "/stories/{id}/replay",
    "outcomes": "/outcomes",
    "topics": "/topics",
    "snapshot": "/topics/1/snapshots/1",
    "api": "/api",
    "not found": "/nowhere",
}


@contextmanager
def opened(browser, seeded, name="front", **options):
    address, truth = seeded
    context = browser.new_context(**options)
    page = context.new_page()
    page.goto(address + PATHS[name].format(id=truth.id_of(0)))
    try:
        yield page
    finally:
        context.close()


def violations(page, rules):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"runOnly": rules, "iframes": False})
    return found.generate_report() if found.response["violations"] else ""


@pytest.mark.parametrize("name", PATHS)
def test_a_page_is_for_everybody_and_every_screen(browser, seeded, name):
    """Accessible in light and dark, never wider than the screen, and nothing of ours breaks under the strict policy."""
    address, truth = seeded
    messages: list[str] = []
    context = browser.new_context(color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: messages.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: messages.append(str(error)))
    page.goto(address + PATHS[name].format(id=truth.id_of(0)))
    for width in (360, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert not violations(page, ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
    page.emulate_media(color_scheme="dark")
    assert not violations(page, ["color-contrast"])
    context.close()
    expected = ("the server responded with a status of 40", "Blocked script execution")
    assert [message for message in messages if not any(words in message for words in expected)] == []


def test_a_captured_page_runs_no_script_and_asks_nobody(browser, seeded):
    address, truth = seeded
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/stories/{truth.id_of(0)}/replay")
    page.wait_for_load_state("networkidle")
    frame = page.frames[1]
    assert "The council of the harbour town" in frame.locator("article").inner_text()
    assert page.title().endswith("Tearsheet")
    assert all(url.startswith(address) for url in asked)
    assert frame.evaluate("window.origin") == "null"
    context.close()


def test_a_captured_page_opened_by_itself_is_put_into_its_frame(browser, seeded):
    address, truth = seeded
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}/stories/{truth.id_of(0)}/capture")
    assert page.url.endswith("/replay")
    context.close()


def test_the_keyboard_is_enough_to_search_and_read(browser, seeded):
    with opened(browser, seeded) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.locator("#quick-q").focus()
        page.keyboard.type("climate")
        page.keyboard.press("Enter")
        page.wait_for_url("**/search?q=climate")
        page.locator(".headline a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/stories/*")
        assert page.locator("h1").inner_text()


def test_everything_works_without_scripts(browser, seeded):
    from playwright.sync_api import expect

    with opened(browser, seeded, java_script_enabled=False) as page:
        page.fill("#quick-q", '"sea wall"')
        page.click(".quick button")
        expect(page.locator("mark")).not_to_have_count(0)
        page.click("a[rel=next]")
        expect(page.get_by_text("First page")).to_be_visible()
        page.goto(seeded[0] + "/outcomes")
        page.select_option("#reason", "http-404")
        page.click(".filters button")
        expect(page.locator(".outcomes li")).to_have_count(7)


def test_the_front_page_keeps_itself_fresh_and_leaves_alone_what_is_in_use(browser, seeded):
    from playwright.sync_api import expect

    with opened(browser, seeded) as page:
        page.evaluate("document.querySelector('[data-live=figures] dd').textContent = 'stale'")
        page.evaluate("document.querySelector('[data-live=days] details').open = true")
        page.evaluate("document.querySelector('[data-live=days] h2').textContent = 'kept'")
        expect(page.locator("[data-live=figures] dd").first).not_to_have_text("stale")
        assert page.locator("[data-live=days] h2").text_content() == "kept"

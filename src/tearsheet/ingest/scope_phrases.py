"""Phrases of pages that bar the way to the wanted page, in lower case. Data, kept apart from the code."""

from __future__ import annotations

CAPTCHA_PHRASES = (
    "verify you are human", "verify that you are human", "are you a robot", "i'm not a robot", "complete the captcha",
    "complete the security check", "checking your browser before", "unusual traffic from your", "enter the characters you see",
    "please solve the captcha", "just a moment... enable javascript",
)  # fmt: skip
CAPTCHA_MARKS = (
    'class="g-recaptcha"',
    'class="h-captcha"',
    "/cdn-cgi/challenge-platform/",
    'id="px-captcha"',
    "captcha-delivery.com",
)
"""Parts of the markup that mean the same."""
COOKIE_PHRASES = (
    "cookies must be enabled", "please enable cookies", "your browser does not accept cookies", "cookies are disabled",
    "enable cookies in your browser", "cookies are required to", "requires cookies",
)  # fmt: skip
PAYWALL_PHRASES = (
    "subscribe to continue reading", "subscribe to read", "this article is for subscribers", "this content is for subscribers",
    "purchase access", "buy this article", "rent this article", "get full access to this article", "access this article for",
    "already a subscriber? log in", "pay per view", "to read the full story, subscribe", "abonnieren sie, um weiterzulesen",
)  # fmt: skip
LOGIN_PHRASES = (
    "log in to continue", "please log in to", "sign in to continue", "you must be logged in", "institutional login required",
    "please sign in to view",
)  # fmt: skip
ERROR_TITLES = (
    "404", "not found", "page not found", "error 404", "500 internal server error", "internal server error", "503 service",
    "service unavailable", "an error occurred", "error", "410 gone", "the page you requested", "site under maintenance",
)  # fmt: skip
"""How the title of a page that only reports an error starts."""

"""Sums with the names that people know."""

from __future__ import annotations

from tearsheet.app.outcomes import outcome_sums
from tearsheet.feeds.catalogue import NewFeed, add_feeds, list_feeds, list_sources
from tearsheet.work import LedgerEntry
from tests.support.feed_fakes import NOW
from tests.support.web_seed import open_services


def test_sources_and_feeds_are_named_where_they_are_known(tmp_path):
    with open_services(tmp_path) as services:
        services.database.migrate()
        add_feeds(services.database, [NewFeed("http://a.example/rss", source_name="The Paper")], NOW)
        source, feed = list_sources(services.database).rows[0].id, list_feeds(services.database).rows[0]["id"]
        ids = [(source, feed), (source + 1, feed + 1), (None, None)]
        services.ledger.record([LedgerEntry(str(n), "parser", "dropped", "x", "", *both) for n, both in enumerate(ids)])

        def named(by):
            return {(row.of, row.name) for row in outcome_sums(services, by)}

        assert named("source") == {(str(source), "The Paper"), (str(source + 1), str(source + 1)), ("", "")}
        assert named("feed") == {(str(feed), "http://a.example/rss"), (str(feed + 1), str(feed + 1)), ("", "")}
        assert named("domain") == {("", "")}
        assert len(outcome_sums(services, "source", limit=2)) == 2

"""What Prometheus reads: well formed, and equal to what was put in."""

from __future__ import annotations

import re
from collections import Counter

from tearsheet.web import metrics
from tearsheet.work import LoopWatch
from tearsheet.work.stage_times import Times, add_times

SAMPLE = re.compile(r'(tearsheet_[a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*\})? (-?[0-9.e+]+)')


def read(text: str) -> dict[str, float]:
    samples = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            found = SAMPLE.fullmatch(line)
            assert found, line
            samples[found[1] + (found[2] or "")] = float(found[3])
    return samples


def test_the_figures_are_those_of_the_data_folder(client, truth):
    answer = client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    samples = read(answer.text)
    assert samples["tearsheet_stories"] == samples["tearsheet_archive_captures"] == len(truth.stories)
    assert samples['tearsheet_stories_total{stage="fetcher",status="dropped",reason="http-404"}'] == 7
    assert samples['tearsheet_queue_depth{queue="fetcher-in",state="ready"}'] == 3
    assert samples['tearsheet_feeds{state="ok"}'] == 6
    assert samples["tearsheet_loop_longest_block_seconds"] <= samples["tearsheet_loop_blocked_seconds_total"]


def test_steps_are_timed_and_the_age_of_the_oldest_message_is_told(client, seeded):
    add_times(seeded[0].database, "timed", {"0.01": Times(2, 0.015), "+Inf": Times(1, 75.5)})
    add_times(seeded[0].database, "timed", {"0.01": Times(1, 0.01)})
    samples = read(client.get("/metrics").text)
    name = "tearsheet_stage_seconds"
    assert samples[f'{name}_bucket{{stage="timed",le="0.005"}}'] == 0
    assert (
        samples[f'{name}_bucket{{stage="timed",le="0.01"}}']
        == samples[f'{name}_bucket{{stage="timed",le="60.0"}}']
        == 3
    )
    assert samples[f'{name}_bucket{{stage="timed",le="+Inf"}}'] == samples[f'{name}_count{{stage="timed"}}'] == 4
    assert samples[f'{name}_sum{{stage="timed"}}'] == 75.525
    assert samples['tearsheet_queue_oldest_seconds{queue="fetcher-in"}'] >= 0


def test_blocks_and_replaced_processes_are_counted():
    lines = metrics._process(LoopWatch(2, 1.75, 1.5, 0.5, 0.25, Counter(memory=2)))
    assert read("\n".join(lines)) == {
        "tearsheet_loop_blocks_total": 2,
        "tearsheet_loop_blocked_seconds_total": 1.75,
        "tearsheet_loop_longest_block_seconds": 1.5,
        "tearsheet_loop_late_seconds_total": 0.5,
        'tearsheet_processes_ended_total{reason="memory"}': 2,
    }


def test_requests_are_counted_by_route_not_by_address(client):
    route = 'tearsheet_http_requests_total{method="GET",route="/stories/{identifier}",status="404"}'
    before = read(client.get("/metrics").text).get(route, 0)
    for digit in "0123":
        client.get("/stories/" + digit * 64)
    client.get("/no/such/place")
    text = client.get("/metrics").text
    samples = read(text)
    assert samples[route] == before + 4
    assert "/no/such/place" not in text
    total = samples['tearsheet_http_request_seconds_count{route="/metrics"}']
    assert samples['tearsheet_http_request_seconds_bucket{route="/metrics",le="+Inf"}'] == total > 0


def test_every_metric_has_a_help_and_a_type(client):
    text = client.get("/metrics").text
    described = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    assert described == set(re.findall(r"^# HELP (\S+)", text, re.MULTILINE))
    names = {
        re.sub(r"_(bucket|sum|count)$", "", re.split(r"[{ ]", line)[0]) for line in text.splitlines() if line[0] != "#"
    }
    assert names == described

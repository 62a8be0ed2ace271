"""OpenTelemetry hears of work, queues and crashes when its variables say so; the command tells whom it was asked to tell."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tearsheet import telemetry
from tearsheet.app.telemetry import OpenTelemetry, _Start, begin_telemetry, check_telemetry, tell_depths, wants_otel
from tearsheet.engines.broker import Depth
from tearsheet.errors import EngineError
from tearsheet.settings import Settings
from tests.support.receiver import Receiver, receiving
from tests.support.redirector import redirector
from tests.support.tearsheet_command import environment, tearsheet


def test_only_its_own_variables_ask_for_it():
    assert not wants_otel({"OTEL_SERVICE_NAME": "x", "OTEL_EXPORTER_OTLP_ENDPOINT": ""})
    assert wants_otel({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"})
    assert wants_otel({"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT": "http://x"})
    assert not wants_otel({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_SDK_DISABLED": "true"})


def spans(server: Receiver) -> dict[str, dict[str, str]]:
    """Attributes by name of span."""
    found = {}
    for body in server.bodies("/v1/traces"):
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            assert names["service.name"] == "tearsheet"
            for scope in resource.scope_spans:
                for span in scope.spans:
                    assert 0 <= span.end_time_unix_nano - span.start_time_unix_nano < 60e9
                    assert abs(span.end_time_unix_nano / 1e9 - time.time()) < 600
                    found[span.name] = {one.key: one.value.string_value for one in span.attributes}
    return found


def figures(server: Receiver) -> set[str]:
    return {
        metric.name
        for body in server.bodies("/v1/metrics")
        for resource in ExportMetricsServiceRequest.FromString(body).resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


def test_work_queues_and_crashes_arrive(monkeypatch, tmp_path):
    async def depths() -> dict[str, Depth]:
        stop.set()
        return {"parser-in": Depth(ready=2)}

    with receiving() as server:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{server.address}")
        begin_telemetry(Settings(tmp_path))
        with telemetry.timed("stage", stage="parser") as attributes:
            attributes["outcome"] = "done"
        stop = asyncio.Event()
        asyncio.run(tell_depths(depths, stop))
        telemetry.report(ValueError("quotes a page"))
        telemetry.close()
        assert spans(server) == {
            "stage": {"stage": "parser", "outcome": "done"},
            "crash": {"error.type": "ValueError"},
        }
        assert figures(server) == {"tearsheet.work.duration", "tearsheet.queue.depth"}
        assert not any(b"quotes a page" in body for _, body in server.came)


def test_the_doctor_says_who_is_told_and_who_cannot_be(monkeypatch, tmp_path):
    settings = Settings(tmp_path)
    assert check_telemetry(settings) == "nobody is told"
    with receiving() as server:
        settings.log.sentry_dsn = f"http://keykeykey@{server.address}/1"
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://{server.address}")
        assert check_telemetry(settings) == f"errors go to {server.address}; traces and metrics go to {server.address}"
    with pytest.raises(EngineError, match=r"http://\*\*\*@127.0.0.1:\d+/1 cannot be reached .*: start it, or check"):
        check_telemetry(settings)
    settings.log.sentry_dsn = "http://keykeykey@host:port/1"
    with pytest.raises(EngineError, match="is no address") as raised:
        check_telemetry(settings)
    assert "keykeykey" not in str(raised.value)


def test_nothing_is_asked_when_nobody_listens():
    async def depths() -> dict[str, Depth]:
        pytest.fail("asked")

    telemetry.watch_with()
    asyncio.run(tell_depths(depths, asyncio.Event()))


def test_variables_without_the_extra_are_one_warning(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    begin_telemetry(Settings(tmp_path))
    assert not telemetry.is_watched()
    assert "pip install 'tearsheet[otel]'" in caplog.text


def test_the_command_tells_a_sentry_and_a_collector(tmp_path):
    (tmp_path / "run.lock").mkdir()  # a defect of ours would not do: this folder cannot be held
    (tmp_path / "urls.csv").write_text("url\nhttp://a.example/1\n")
    with receiving() as server:
        done = tearsheet(
            *("pipeline", "run", "csv", tmp_path / "urls.csv"),
            data=tmp_path,
            TEARSHEET_LOG_SENTRY_DSN=f"http://key@{server.address}/1",
            OTEL_EXPORTER_OTLP_ENDPOINT=f"http://{server.address}",
        )
        assert done.returncode == 16, done.stderr
        [envelope] = server.bodies("/api/1/envelope/")
        assert b"StorageError" in envelope
        assert "crash" in spans(server)


def test_a_command_loads_nothing_of_it_unless_asked(tmp_path):
    code = "import sys; from tearsheet.cli import main\ntry:\n    main()\nfinally:\n    print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, "--data", str(tmp_path), "config", "show"],
        capture_output=True, text=True, check=True, timeout=100, env=environment({}),
    )  # fmt: skip
    loaded = set(done.stdout.split())
    assert "tearsheet.telemetry" in loaded
    assert not {"sentry_sdk", "tearsheet.app.telemetry", "opentelemetry.sdk"} & loaded


def test_the_adapter_takes_an_endpoint_that_is_away(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")
    watcher = OpenTelemetry()
    watcher.figure("x", {}, 1.0)
    watcher.close()


def test_a_redirect_takes_our_headers_nowhere(monkeypatch):
    with redirector() as (elsewhere, seen_elsewhere), redirector(f"http://127.0.0.1:{elsewhere}") as (port, seen):
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=hush,api-key=hush")
        watching = OpenTelemetry()
        watching.work("stage", {}, time.perf_counter(), 0.1, False)
        watching.close()
    assert {path for path, _ in seen} == {"/v1/traces", "/v1/metrics"}
    assert seen_elsewhere == []


def test_a_collector_that_never_answers_does_not_hold_up_the_end(monkeypatch):
    monkeypatch.setattr("tearsheet.app.telemetry._CLOSE_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "5")
        watching = OpenTelemetry()
        watching.work("stage", {}, time.perf_counter(), 0.1, False)
        begun = time.monotonic()
        watching.close()
        assert time.monotonic() - begun < 4


def test_little_of_an_answer_is_read():
    class Endless:
        read_of_it = 0

        def read(self, size: int) -> bytes:
            self.read_of_it += size
            return b"x" * size

    start = _Start(endless := Endless())
    assert sum(map(len, iter(lambda: start.read(10_000), b""))) == endless.read_of_it == 64 * 1024

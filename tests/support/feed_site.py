"""A web of feeds in memory: what each address answers, and what was asked of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tearsheet.fetch import FetchError, FetchRequest, FetchResponse
from tearsheet.story import Exchange
from tests.support.feed_fakes import FakeClient, response

Answer = bytes | int | FetchResponse | FetchError | tuple[int, str] | Callable[[FetchRequest], "Answer"]
"""A body, a status, a whole response, an error, a redirect (status and target), or what decides when it is asked."""


class FeedSite:
    """Answers by address; what it does not have is not found."""

    def __init__(self, answers: Mapping[str, Answer] | None = None) -> None:
        self.answers: dict[str, Answer] = dict(answers or {})
        self.client = FakeClient(self._answer)

    @property
    def asked(self) -> list[str]:
        return [request.url for request in self.client.requests]

    def _answer(self, request: FetchRequest) -> FetchResponse | FetchError:
        url, hops = request.url, list[Exchange]()
        while True:
            answer = self.answers.get(url, 404)
            while callable(answer):
                answer = answer(request)
            if isinstance(answer, tuple):
                hops.append(Exchange(url, answer[0]))
                url = answer[1]
                if len(hops) > (20 if request.max_redirects is None else request.max_redirects):
                    return FetchError("too-many-redirects", "more than allowed")
                continue
            break
        if isinstance(answer, FetchError):
            return answer
        if isinstance(answer, FetchResponse):
            found = FetchResponse(url, answer.status, answer.reason, answer.headers, answer.body, [], None, 0.0)
        else:
            found = response(answer, url=url) if isinstance(answer, bytes) else response(status=answer, url=url)
        found.exchanges = [*hops, Exchange(url, found.status)]
        return found

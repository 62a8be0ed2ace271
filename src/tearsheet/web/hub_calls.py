"""The address that hubs of WebSub call. Nobody but a hub that we asked knows the token in it, and nothing else is told here."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import PlainTextResponse, Response

from tearsheet.clock import Clock, utc_now
from tearsheet.engines.database import Database
from tearsheet.feeds.polling import CALLED_AT, confirm_subscription, take_push
from tearsheet.settings import FeedSettings

Token = Annotated[str, Path(pattern="^[0-9a-f]{48}$", description="What the hub was told when it was asked.")]


def router(database: Database, feeds: FeedSettings, clock: Clock) -> APIRouter:
    """The two routes; without `feeds.callback_url` nothing is there."""
    routes = APIRouter(include_in_schema=False)

    @routes.get(CALLED_AT + "{token}")
    async def confirm(token: Token, request: Request) -> Response:
        said: Mapping[str, str] = request.query_params
        answer = await asyncio.to_thread(confirm_subscription, database, token, said, utc_now(clock))
        if answer is None or not feeds.callback_url:
            raise HTTPException(404, "no such subscription")
        return PlainTextResponse(answer)

    @routes.post(CALLED_AT + "{token}")
    async def push(token: Token, request: Request) -> Response:
        body, signature = await request.body(), request.headers.get("x-hub-signature")
        apart = timedelta(minutes=max(feeds.min_minutes, 1))
        taken = await asyncio.to_thread(take_push, database, token, body, signature, utc_now(clock), apart)
        if taken is None or not feeds.callback_url:
            raise HTTPException(404, "no such subscription")
        if not taken:
            raise HTTPException(403, "this is not signed with the secret that the hub was told")
        return Response(status_code=202)

    return routes

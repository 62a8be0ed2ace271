"""Opens a connection to RabbitMQ, and says why one cannot be opened."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from tearsheet.engines.broker.rabbitmq_layout import OLDEST_SERVER
from tearsheet.engines.broker.rabbitmq_link import Link
from tearsheet.engines.broker.rabbitmq_management import Management
from tearsheet.engines.server import LostConnection, ServerUrl, cannot_reach
from tearsheet.errors import EngineError

if TYPE_CHECKING:
    from aio_pika.abc import AbstractConnection

SETTING = "engines.broker"


async def connect(server: ServerUrl, parts: Mapping[str, int], management: Management) -> Link:
    """Open a connection and a channel. Raises EngineError, or LostConnection where it may be opened later."""
    from aio_pika.connection import Connection, make_url
    from aiormq.exceptions import (
        AMQPConnectionError,
        AuthenticationError,
        InvalidFrameError,
        ProbableAuthenticationError,
    )  # fmt: skip

    url = make_url(
        host=server.host, port=server.port, login=server.user or "guest", password=server.password or "guest",
        virtualhost=server.path or "/", ssl=server.scheme == "amqps", heartbeat=30,
    )  # fmt: skip
    connection = Connection(url, client_properties={"connection_name": f"tearsheet on {socket.gethostname()}"})
    try:
        async with _closed_on_failure(connection):
            await connection.connect(timeout=15)
            publisher = await connection.channel(publisher_confirms=True, on_return_raises=True)
    except (AuthenticationError, ProbableAuthenticationError) as error:
        raise EngineError(
            f"{SETTING}: RabbitMQ at {server.address} refuses the user or the password; check this setting"
        ) from error
    except InvalidFrameError as error:
        raise await asyncio.to_thread(_shut_out, server, management) from error
    except (AMQPConnectionError, OSError, TimeoutError) as error:
        raise cannot_reach(server, "broker") from error
    link = Link(server, connection, publisher, parts)
    if link.version < OLDEST_SERVER:
        await link.close()
        oldest = ".".join(map(str, OLDEST_SERVER))
        raise EngineError(
            f"{SETTING}: RabbitMQ {'.'.join(map(str, link.version))} at {server.address} is too old; "
            f"{oldest} or newer is needed"
        )
    return link


@asynccontextmanager
async def _closed_on_failure(connection: AbstractConnection) -> AsyncIterator[None]:
    """Leave no connection behind that failed to open: the garbage collector would close it, in whichever thread it runs."""
    try:
        yield
    except BaseException:
        await connection.close()
        raise


def _shut_out(server: ServerUrl, management: Management) -> EngineError:
    """Why the server accepted our login and refused the virtual host: it does not exist, or not yet."""
    vhost, address = server.path or "/", server.address
    if management.vhost_is_missing():
        return EngineError(
            f"{SETTING}: RabbitMQ at {address} has no virtual host {vhost!r}; "
            f"create it with `rabbitmqctl add_vhost {vhost}`, or check this setting"
        )
    return LostConnection(f"{SETTING}: RabbitMQ at {address} does not open the virtual host {vhost!r} to our user")

from .opener import open_broker as open_broker
from .port import Broker as Broker
from .port import Depth as Depth
from .port import Headers as Headers
from .port import Lease as Lease
from .port import Message as Message
from .port import Output as Output
from .port import Settlement as Settlement

from .opener import open_events as open_events
from .port import Event as Event
from .port import Events as Events
from .port import Unerasable as Unerasable

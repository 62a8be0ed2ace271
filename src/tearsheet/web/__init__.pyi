from .app import create_app as create_app
from .server import bind as bind
from .server import serve as serve
from .tokens import READ as READ
from .tokens import WRITE as WRITE
from .tokens import TokenStore as TokenStore

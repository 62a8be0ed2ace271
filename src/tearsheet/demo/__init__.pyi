from .expectation import Expectation as Expectation
from .newsroom import Newsroom as Newsroom
from .server import NewsroomServer as NewsroomServer
from .server import serve_in_thread as serve_in_thread

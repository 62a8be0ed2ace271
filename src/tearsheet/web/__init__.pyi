from .guard import ours_alone as ours_alone
from .listening import bind as bind
from .server import serve as serve
from .service import page_service as page_service

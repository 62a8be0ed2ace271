from .app import create_app as create_app
from .service import page_service as page_service

from .serving import http_service as http_service
from .serving import stdio_service as stdio_service

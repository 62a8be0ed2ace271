from .service import page_service as page_service

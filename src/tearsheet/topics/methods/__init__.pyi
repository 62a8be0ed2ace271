from .paragraph import Result as Result
from .paragraph import methods_paragraph as methods_paragraph
from .record import Record as Record
from .record_store import keep_record as keep_record
from .record_store import load_record as load_record
from .record_store import record_now as record_now

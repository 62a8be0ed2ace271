from .dates import by_interval as by_interval
from .dates import first_day as first_day
from .opener import open_index as open_index
from .opener import rebuild_words as rebuild_words
from .port import AddResult as AddResult
from .port import Index as Index
from .port import IndexedStory as IndexedStory
from .port import Page as Page

from .pipelines import QUEUER as QUEUER
from .pipelines import Collector as Collector
from .pipelines import FileSource as FileSource
from .pipelines import Summary as Summary
from .pipelines import summarise as summarise
from .services import Services as Services

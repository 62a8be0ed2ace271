from .clauses import MOST_CLAUSES as MOST_CLAUSES
from .clauses import clauses_of as clauses_of
from .estimating import Estimate as Estimate
from .estimating import Found as Found
from .estimating import Sample as Sample
from .estimating import Span as Span
from .estimating import Terms as Terms
from .estimating import estimate as estimate

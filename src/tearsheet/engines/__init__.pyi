from .holders import Holder as Holder
from .location import scheme_of as scheme_of

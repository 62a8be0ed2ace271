from .keys import split_pattern as split_pattern
from .opener import blob_place as blob_place
from .opener import open_blobs as open_blobs
from .port import BlobInfo as BlobInfo
from .port import Blobs as Blobs

"""The map as a picture."""

import struct
import zlib

import numpy as np

from tearsheet.topics.snapshot.drawing import to_png
from tearsheet.topics.snapshot.export import MediaMap
from tests.support.frozen_primes import overall_of


def test_the_picture_is_a_png(frozen):
    data = to_png(MediaMap(overall_of(frozen)), side=200)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    size = struct.unpack(">I", data[33:37])[0]
    pixels = np.frombuffer(zlib.decompress(data[41 : 41 + size]), np.uint8)
    assert pixels.size == 200 * (1 + 3 * 200)
    assert len(np.unique(pixels)) > 10

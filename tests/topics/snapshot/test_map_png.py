"""The map as a picture: names and legend are in it."""

import io

from PIL import Image

from tearsheet.topics.snapshot.export import MediaMap
from tearsheet.topics.snapshot.map_png import to_png
from tearsheet.topics.snapshot.palette import color_of
from tearsheet.topics.snapshot.picture import picture_of
from tests.support.frozen_primes import overall_of


def darkest(image, box):
    return min(sum(pixel) for pixel in image.crop(tuple(round(side) for side in box)).get_flattened_data())


def test_the_picture_has_circles_names_and_a_legend(frozen):
    chart = MediaMap(overall_of(frozen))
    picture = picture_of(chart)
    image = Image.open(io.BytesIO(to_png(chart, width=1000)))
    assert (image.format, image.mode, image.size) == ("PNG", "RGB", (1000, round(picture.height)))
    assert len(picture.labels) == 3
    for label in picture.labels:
        assert darkest(image, label.box) < 200
    for circle in picture.circles:
        assert image.getpixel((round(circle.disc.x), round(circle.disc.y))) != (255, 255, 255)
    for remark in picture.remarks:
        if remark.color is not None:
            assert image.getpixel((round(remark.at.x + 6), round(remark.at.y - 5))) == remark.color
        assert darkest(image, (remark.at.x + 20, remark.at.y - 12, remark.at.x + 120, remark.at.y)) < 200
    assert color_of(0) in {remark.color for remark in picture.remarks}


def test_a_wider_picture_shows_the_same(frozen):
    chart = MediaMap(overall_of(frozen))
    assert Image.open(io.BytesIO(to_png(chart, width=300))).size[0] == 300

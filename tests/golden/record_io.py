#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes files for tests/io with other libraries: `record_io.py tests/io/data`.

Needs numpy, ml_dtypes, pillow, pypng and safetensors. pixels.npz has the pixels of each picture."""

import pathlib
import sys

import ml_dtypes
import numpy as np
import png
from PIL import Image
from safetensors.numpy import save_file

OUT = pathlib.Path(sys.argv[1])
RANDOM = np.random.RandomState(0)
PIXELS = {}


def keep(name, pixels) -> None:
    PIXELS[name] = pixels


def arrays() -> None:
    np.savez(OUT / "savez.npz", w=np.arange(3, dtype="<f4"), b=np.array([[True], [False]]))
    np.savez_compressed(OUT / "savez_compressed.npz", w=np.arange(40, dtype="<i4").reshape(5, 8))
    np.save(OUT / "bfloat16.npy", np.array([1, -2.5], dtype=ml_dtypes.bfloat16))
    tensors = {"w": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, 2], dtype=np.int64),
               "empty": np.zeros((0, 3), np.float16), "scalar": np.array(5, dtype=np.uint8)}
    save_file(tensors, OUT / "tensors.safetensors", metadata={"format": "np"})


def expand(values, bits):
    """Samples of fewer than 8 bits as bytes."""
    return values.astype(np.uint16) if bits == 16 else (values.astype(np.int64) * 255 // (2**bits - 1)).astype(np.uint8)


def picture(name, values, bits, interlace=False, **options) -> None:
    height, width, channels = values.shape
    writer = png.Writer(width, height, bitdepth=bits, interlace=interlace, compression=9, **options)
    with open(OUT / f"{name}.png", "wb") as file:
        writer.write(file, values.reshape(height, width * channels).tolist())


def pictures() -> None:
    for interlace in (False, True):
        for bits in (1, 2, 4, 8, 16):
            name = f"grey{bits}{'_interlaced' if interlace else ''}"
            values = RANDOM.randint(0, 2**bits, (7, 11, 1))
            picture(name, values, bits, interlace, greyscale=True)
            keep(name, expand(values, bits))
        for bits in (8, 16):
            for channels, word in ((2, "grey_alpha"), (3, "rgb"), (4, "rgba")):
                name = f"{word}{bits}{'_interlaced' if interlace else ''}"
                values = RANDOM.randint(0, 2**bits, (5, 3, channels))
                picture(name, values, bits, interlace, greyscale=channels < 3, alpha=channels in (2, 4))
                keep(name, expand(values, bits))
    palette = [(0, 255, 0, 128), (1, 2, 3, 0), (255, 0, 0)]
    for name, colours in (("palette", [c[:3] for c in palette]), ("palette_alpha", palette)):
        index = RANDOM.randint(0, 3, (4, 9, 1))
        picture(name, index, 2, palette=colours)
        whole = np.array([tuple(c) + (255,) * (4 - len(c)) for c in palette], np.uint8)
        keep(name, whole[index[..., 0]][..., : 4 if name == "palette_alpha" else 3])
    values = RANDOM.randint(0, 2, (3, 3, 3)) * 255
    picture("rgb_key", values, 8, greyscale=False, transparent=(255, 0, 255))
    alpha = np.where((values == [255, 0, 255]).all(-1, keepdims=True), 0, 255)
    keep("rgb_key", np.concatenate([values, alpha], -1).astype(np.uint8))
    # Smooth pixels, for which libpng takes each of the five filters.
    y, x = np.mgrid[0:40, 0:30]
    smooth = np.stack([3 * x + y, 255 - 2 * y, x * y // 5], -1).astype(np.uint8)
    Image.fromarray(smooth).save(OUT / "filters.png", optimize=True)
    keep("filters", smooth)
    for mode, name in (("RGB", "rgb"), ("L", "grey")):
        image = Image.fromarray(smooth).convert(mode)
        image.save(OUT / f"{name}.jpg", quality=90, progressive=mode == "L")
        pixels = np.asarray(Image.open(OUT / f"{name}.jpg"))
        keep(f"{name}_jpg", pixels.reshape(40, 30, -1))
    Image.fromarray(smooth).convert("CMYK").save(OUT / "cmyk.jpg")


if __name__ == "__main__":
    OUT.mkdir(parents=True, exist_ok=True)
    arrays()
    pictures()
    np.savez_compressed(OUT / "pixels.npz", **PIXELS)

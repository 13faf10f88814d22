"""Compresses the files of a folder into another, the largest first, and removes what is done.

The window is that large for bundles: a page unpacks the whole of a file at once.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import zstandard

raw, packed = sys.argv[1:]


def pack(name):
    source, target = os.path.join(raw, name), os.path.join(packed, name)
    with open(source, "rb") as f:
        data = f.read()
    how = zstandard.ZstdCompressionParameters.from_level(19, source_size=len(data), window_log=27)
    with open(target + ".part", "wb") as f:
        f.write(zstandard.ZstdCompressor(compression_params=how).compress(data))
    os.replace(target + ".part", target)
    os.remove(source)


os.makedirs(raw, exist_ok=True)
os.makedirs(packed, exist_ok=True)
names = sorted(os.listdir(raw), key=lambda name: -os.path.getsize(os.path.join(raw, name)))
with ThreadPoolExecutor(os.cpu_count()) as pool:
    list(pool.map(pack, names))

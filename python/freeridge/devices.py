"""Devices by their names: "cpu", "cuda" (the first GPU), "cuda:1" (the second) ..., "host" (the CPU in the place of one)."""

from __future__ import annotations

import os
import re
import sys
from typing import Union

from . import library as c

_NAMES = {"cpu": c.DEVICE_CPU, "host": c.DEVICE_HOST, "cuda": c.DEVICE_CUDA}


def device_number(device: Union[int, str]) -> int:
    """The library's number of a device. Raises ValueError for an unknown name."""
    if not isinstance(device, str):
        return device
    nth = re.fullmatch(r"cuda:(\d{1,3})", device)
    if device not in _NAMES and nth is None:
        raise ValueError(f'device must be "cpu", "cuda" or, of several, such as "cuda:1", not {device!r}')
    number = _NAMES[device] if nth is None else c.DEVICE_CUDA + int(nth[1])
    if number >= c.DEVICE_CUDA and "FREERIDGE_CUDA_PATH" not in os.environ:
        wheels = [folder for folder in sys.path if os.path.isdir(os.path.join(folder, "nvidia"))]
        if wheels:
            os.environ["FREERIDGE_CUDA_PATH"] = ":".join(wheels)
    return number


def device_name(number: int) -> str:
    """The name of a device by its number."""
    known = {value: name for name, value in _NAMES.items()}
    return known.get(number, f"cuda:{number - c.DEVICE_CUDA}")

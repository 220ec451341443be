# SPDX-License-Identifier: Apache-2.0
"""Arguments of operators as words of the program: numbers, texts in its notation, and tensors of NumPy, PyTorch or anything
else that has a buffer or speaks DLPack.

A tensor is copied once, into a file in memory that workers read (`npy:/proc/PID/fd/N`). NumPy and PyTorch are never
imported here: a caller who passes their tensors has imported them.
"""

import os
import sys
import warnings

from opbench._child import outside
from opbench._core import InputError, from_dlpack

_KINDS = {"b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "n": "i", "B": "u", "H": "u", "I": "u", "L": "u", "Q": "u",
          "N": "u", "e": "f", "f": "f", "d": "f", "?": "b", "Zf": "c", "Zd": "c", "E": "V"}
_BFLOAT16 = "<V2" if sys.byteorder == "little" else ">V2"  # as ml_dtypes saves it


def _refuse(what, fix):
    error = InputError(f"{what}; {fix}")
    error.fix = fix
    raise error


def _descr(view):
    """NumPy's word for the elements of a buffer."""
    order = view.format[0] if view.format[:1] in "<>=@!" else ""
    kind = _KINDS.get(view.format[len(order):])
    if kind is None:
        _refuse(f"elements of type {view.format!r} cannot form a tensor", "convert them, for example to float32")
    sign = "|" if view.itemsize == 1 else ">" if order in (">", "!") or (order != "<" and sys.byteorder == "big") else "<"
    return f"{sign}{kind}{view.itemsize}"


def _header(descr, is_fortran, shape):
    text = str({"descr": descr, "fortran_order": is_fortran, "shape": tuple(shape)})
    text += " " * (63 - (10 + len(text)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode("ascii")


class Tensors:
    """The files in memory of one call's tensors; they go with it."""

    def __init__(self):
        self._files = []

    def __del__(self):
        self.close()

    def close(self):
        while self._files:
            os.close(self._files.pop())

    def _put(self, view, descr):
        is_fortran = view.ndim > 1 and view.f_contiguous and not view.c_contiguous
        if not view.c_contiguous and not is_fortran:
            warnings.warn("this tensor is not contiguous, so a contiguous copy is measured: its "
                          "strides are not kept", stacklevel=outside())
        file = os.memfd_create("opbench-tensor")
        self._files.append(file)
        with os.fdopen(os.dup(file), "wb") as out:
            out.write(_header(descr, is_fortran, view.shape))
            if view.nbytes == 0:
                pass
            elif view.c_contiguous:
                out.write(view.cast("B") if view.ndim else view.tobytes())
            else:
                out.write(view.tobytes(order="F" if is_fortran else "C"))
        return f"npy:/proc/{os.getpid()}/fd/{file}"

    def _torch_word(self, tensor):
        torch = sys.modules["torch"]
        tensor_type = str(tensor.dtype).removeprefix("torch.")
        if tensor.layout is not torch.strided or tensor_type == "complex32" or tensor_type.startswith(("q", "float8")):
            what = tensor_type if tensor.layout is torch.strided else str(tensor.layout)
            _refuse(f"a tensor of {what} cannot be passed with its values", "write a dtype and its shape, such as 'f32[2,3]', or "
                    "convert it")
        grad = "+grad" if tensor.requires_grad else ""
        plain = tensor.detach()
        if plain.device.type != "cpu":
            plain = plain.cpu()
        for resolve in ("resolve_conj", "resolve_neg"):
            plain = getattr(plain, resolve)() if hasattr(plain, resolve) else plain
        is_bool = plain.dtype is torch.bool
        if is_bool:  # PyTorch's DLPack had no word for it
            plain = plain.view(torch.uint8)
        view = memoryview(from_dlpack(plain.__dlpack__()))
        return self._put(view, "|b1" if is_bool else _descr(view)) + grad

    def _tensor_word(self, value):
        """None if it is not a tensor."""
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            return self._torch_word(value)
        if isinstance(value, (bytes, bytearray)):
            return None
        if getattr(getattr(value, "dtype", None), "name", None) == "bfloat16" and type(value).__module__ == "numpy":
            return self._put(memoryview(value.view("int16")), _BFLOAT16)  # of ml_dtypes: it has no buffer
        try:
            view = memoryview(value)
        except (TypeError, ValueError, BufferError):
            if not hasattr(value, "__dlpack__"):
                return None
            view = memoryview(from_dlpack(value.__dlpack__()))
        return self._put(view, _descr(view))

    def word(self, value):
        """The value in the notation of docs/timer.md."""
        if isinstance(value, str):
            return value
        if value is None:
            return "none"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, (int, float)):
            return repr(value)
        if isinstance(value, (list, tuple)):
            ends = "()" if isinstance(value, tuple) and type(value).__name__ != "Size" else "[]"
            return ends[0] + ",".join(self.word(item) for item in value) + ends[1]
        if any(kind.__module__ == "numpy" and kind.__name__ == "generic" for kind in type(value).__mro__):
            return self.word(value.item())
        made = self._tensor_word(value)
        if made is not None:
            return made
        kind = f"{type(value).__module__}.{type(value).__name__}"
        if kind == "torch.dtype":
            return str(value)
        if kind in ("torch.device", "torch.layout", "torch.memory_format"):
            text = str(value).removeprefix("torch.")
            return f"{kind.removeprefix('torch.')}:{text}"
        return _refuse(f"operators do not take arguments of type {kind}",
                       "give numbers, strings, tensors or lists of them")

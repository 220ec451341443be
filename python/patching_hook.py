# SPDX-License-Identifier: Apache-2.0
"""The two names of the known way to see a training's operators, on opbench's capture:

    from patching_hook import init, hook
    from torch import nn
    nn.modules.module.register_module_forward_pre_hook(hook)
    init()

Modules with their settings, functions of torch and torch.nn.functional and methods of torch.Tensor are collected, and
written as a benchmark config when the program ends: patching_hook.json, or init("ops.json"). Nothing of PyTorch is replaced
but indexing, and no error is swallowed.

init(pickle="ops.pickle") writes the same as a pickle too. The fixed place of the original, /tmp/picklefile, is refused: a pickle
is code, and in a folder that everybody can write to anybody may put one there first.
"""

import os
import pickle as pickles
import stat
import tempfile
import warnings

try:
    from opbench import capture
except ImportError:
    import opbench_capture as capture  # without the package: the file beside this one

__all__ = ["init", "hook"]

_capture = None
_has_warned = False


def _check_place(path):
    folder = os.path.dirname(path)
    if os.stat(folder).st_mode & stat.S_IWOTH:
        raise ValueError("%s: anyone can write to %s, and loading a pickle runs code; use a file in a folder that only you can write to" % (path, folder))


class _Capture(capture.Capture):
    """Also writes a pickle, besides the config."""

    pickle = None

    def save(self):
        super().save()
        if self.pickle is None:
            return
        handle, name = tempfile.mkstemp(dir=os.path.dirname(self.pickle), prefix=os.path.basename(self.pickle))
        try:
            with os.fdopen(handle, "wb") as file:
                pickles.dump({key: dict(value) for key, value in self.config().items()}, file)
            os.replace(name, self.pickle)
        except BaseException:
            os.unlink(name)
            raise


def init(output="patching_hook.json", pickle=None, **options):
    """Begins to collect; what was collected is written when the program ends, and every ten seconds.

    output: the config, for `opbench run`. pickle: a file that gets the same as a pickle of plain dicts and lists. options: those of
    opbench.capture.Capture, such as level="outermost" or backward=True. Returns the capture, which has stop().
    """
    global _capture
    place = os.path.abspath(pickle) if pickle is not None else None
    if place is not None:
        _check_place(place)
    if _capture is not None:
        _capture.stop()
    _capture = _Capture(output, **options)
    _capture.pickle = place
    return _capture.start()


def hook(module, input):  # noqa: A002 (the name of the original)
    """For register_module_forward_pre_hook: the capture that init() began sees every module by itself."""
    global _has_warned
    del module, input
    if _capture is None and not _has_warned:
        _has_warned = True
        warnings.warn("patching_hook: nothing is collected before init() is called", stacklevel=2)

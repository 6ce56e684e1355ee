# workbench/serve/python/warpscope_serve/__init__.py: Warpscope from Python: measure, trace, draw and capture kernels.
"""Warpscope from Python, through one long-lived `warpscope serve`.

    import warpscope_serve as warpscope

    rows = warpscope.measure("csrmm/float4_columns", n=64)   # needs a GPU
    warpscope.trace("patterns/copy", n=1024).lines           # emulated, needs no GPU
    warpscope.render("roofline")                             # a picture of what was measured
    warpscope.capture(["./program"], kernel="norm", out="norm.wcap")

The first call starts the program. `start` gives it options, `stop` ends it. Tables are pandas frames if
pandas is installed, and lists of dictionaries if it is not.
"""
import threading

from .connection import Connection
from .results import Error, Picture, Trace

__all__ = ["Connection", "Error", "Picture", "Trace", "ask", "capture", "measure", "render", "start",
           "stop", "trace"]

_lock = threading.Lock()
_current = None


def start(**options):
    """Ends the current program, if there is one, and starts another. Options: see Connection."""
    global _current  # pylint: disable=global-statement
    with _lock:
        if _current is not None:
            _current.close()
        _current = None
        _current = Connection(**options)
        return _current


def stop():
    """Ends the program. The next call starts another one, with an empty session."""
    global _current  # pylint: disable=global-statement
    with _lock:
        if _current is not None:
            _current.close()
        _current = None


def _connection():
    with _lock:
        if _current is not None:
            return _current
    return start()


def ask(request, **fields):
    """Any request of `warpscope serve`, such as ask("verify", variant="patterns/copy"): its result."""
    return _connection().ask(request, **fields)


def measure(variant, /, counters="none", **axes):
    """Times a variant on the GPU, after checking its output. One row per metric.

    counters: none, live, standard, full, or metric ids joined by commas.
    """
    return _connection().measure(variant, counters=counters, **axes)


def trace(variant, /, **axes):
    """Emulates a variant and counts its memory requests. Needs no GPU."""
    return _connection().trace(variant, **axes)


def render(panel="window", variant=None, session=None, **options):
    """Draws a panel of what was measured here, or of a session file, as a Picture."""
    return _connection().render(panel, variant, session, **options)


def capture(program, kernel=None, out=None, **options):
    """Runs a CUDA program: lists its kernels, or saves one launch of `kernel` to the file `out`."""
    return _connection().capture(program, kernel, out, **options)

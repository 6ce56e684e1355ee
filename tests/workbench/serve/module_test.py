# tests/workbench/serve/module_test.py: the Python module does what its page says, on an engine without a GPU.
"""Usage: module_test.py ROOT BIN.

BIN is the folder of the programs. Jobs that measure go to the tests' engine, emulated ones to the real one.
The page's example runs as it stands. Status 77 where a program is not built.
"""
import contextlib
import importlib
import io
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import types

failures = []


def expect(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def refused(act):
    """The error of a call; a failure of the test if there is none."""
    try:
        act()
    except RuntimeError as error:
        return error
    expect(False, "a call that must fail did not")
    return RuntimeError()


def make_program(path, text):
    path.write_text(text, encoding="utf-8")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def example_of_the_page(root, module):
    page = (root / "workbench/serve/python/README.md").read_text(encoding="utf-8")
    code = re.search(r"^```python\n(.*?)^```", page, re.M | re.S)[1]
    names = {}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(code, "the page's example", "exec"), names)  # pylint: disable=exec-used
    rows = names["rows"]
    warm = [row for row in rows if row["metric"] == "time.warm"]
    expect(len(warm) == 1 and warm[0]["value"] == 1000 and warm[0]["unit"] == "ns" and warm[0]["n"] == 64
           and warm[0]["origin"] == "measured" and warm[0]["verdict"] == "correct", f"measure: {warm}")
    expect(sum(line["instructions"] for line in names["lines"]) > 100
           and {"step", "entry", "file", "line"} <= set(names["lines"][0]), f"trace: {names['lines'][:1]}")
    sectors = {row["metric"]: row["value"] for row in names["trace"].metrics}["emulated.l1.sectors_load"]
    expect(sectors == 128, f"1024 elements of 4 bytes lie in {sectors} sectors, not in 128")
    expect(names["trace"].faults == [] and "<td>copy</td>" in names["trace"]._repr_html_(), "trace in a notebook")
    png = names["picture"]._repr_png_()
    expect(png[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(png[16:20], "big") == 900
           and pathlib.Path("roofline.png").read_bytes() == png, "render gives a picture of the size asked for")
    expect([row["symbol"] for row in names["kernels"]] == ["_Z3addPKfPfi"] * 2
           and names["kernels"][0]["block"] == [128, 1, 1], f"capture lists {names['kernels']}")
    expect(names["file"].read_bytes()[:4] != b"" and "sum" in printed.getvalue(), "capture saves a launch")
    expect(module.ask("list", scene="csrmm")["scenes"][0]["name"] == "csrmm", "ask")
    svg = module.render("roofline", "csrmm/float4_columns", svg=True, axes={"n": 64}, theme="light")
    expect(svg._repr_png_() is None and svg._repr_svg_().startswith(("<svg", "<?xml")), "an SVG")


def names_errors(module, folder):
    error = refused(lambda: module.measure("csrmm/no_such_variant"))
    expect(error.kind == "usage" and "float4_columns" in error.remedy and error.remedy in str(error), f"{error!r}")
    error = refused(lambda: module.render("no_such_panel"))
    expect("no_such_panel" in str(error) and not str(error).startswith("warpscope:"), f"{error!r}")
    error = refused(lambda: module.capture(["true"], kernel="add"))
    expect("out=" in error.remedy, f"{error!r}")
    error = refused(lambda: module.start(program=folder / "nowhere"))
    expect("nowhere is not a program" in str(error), f"{error!r}")
    other = make_program(folder / "other", "#!/bin/sh\necho usage: other\n")
    error = refused(lambda: module.start(program=other))
    expect("another program of this name" in error.remedy, f"{error!r}")
    ended = make_program(folder / "ended", "#!/bin/sh\necho why it ended >&2\nexit 3\n")
    error = refused(lambda: module.start(program=ended))
    expect("why it ended" in str(error) and "status 3" in str(error), f"{error!r}")
    module.start()
    error = refused(lambda: module.render("roofline"))
    expect("nothing was measured" in str(error), f"{error!r}")
    path = os.environ["PATH"]
    os.environ["PATH"] = str(folder / "nowhere")
    error = refused(module.start)
    os.environ["PATH"] = path
    expect("was not found" in str(error) and "PATH" in error.remedy, f"{error!r}")


def survives_ctrl_c_and_a_kill(module, folder):
    os.environ["FAKE_ENGINE_MODE"] = "hangs"
    kept = folder / "kept.wsj"
    connection = module.start(session=kept)
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        module.measure("csrmm/float4_columns")
        expect(False, "Ctrl-C does not end a call")
    except KeyboardInterrupt:
        pass
    expect(module.ask("list", scene="led")["scenes"][0]["name"] == "led", "the call after Ctrl-C is answered")
    connection._process.kill()
    error = refused(lambda: module.ask("list"))
    expect("has ended" in str(error) and "start()" in error.remedy, f"{error!r}")
    module.stop()
    expect(kept.is_file(), "a session file with a name stays")


def uses_pandas_if_there_is_one(module):
    frames = []
    sys.modules["pandas"] = types.SimpleNamespace(DataFrame=lambda rows: frames.append(rows) or "frame")
    os.environ["FAKE_ENGINE_MODE"] = "counts"
    expect(module.measure("csrmm/float4_columns") == "frame" and frames[0][0]["scene"] == "csrmm", "pandas is used")
    del sys.modules["pandas"]
    module.stop()


def package_is_sound(root):
    cmake = (root / "CMakeLists.txt").read_text(encoding="utf-8")
    name, version = re.search(r"^project\((\w+) VERSION (\S+)", cmake, re.M).groups()
    text = (root / "workbench/serve/python/pyproject.toml").read_text(encoding="utf-8")
    for line in (f'name = "{name}-serve"', f'version = "{version}"', f'packages = ["{name}_serve"]'):
        expect(line in text, f"pyproject.toml lacks {line}")


def main():
    root, programs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if not all((programs / name).exists() for name in ("warpscope", "warpscope-engine", "fake_engine", "fake_program")):
        return 77
    with tempfile.TemporaryDirectory(prefix="module-") as folder:
        folder = pathlib.Path(folder)
        engine = make_program(folder / "engine", f"""#!/bin/sh
case "$*" in *emulate*) exec '{programs}/warpscope-engine' "$@" ;; *) exec '{programs}/fake_engine' "$@" ;; esac
""")
        if "✔ nvrtc" not in subprocess.run([programs / "warpscope", "doctor"], capture_output=True, text=True,
                                           check=False).stdout:
            print("skipped: there is no NVRTC here")
            return 77
        os.environ.update(WARPSCOPE_ENGINE=str(engine), FAKE_ENGINE_MODE="counts", LIBGL_ALWAYS_SOFTWARE="1",
                          PATH=f"{programs}:{os.environ['PATH']}", XDG_CONFIG_HOME=str(folder / "config"))
        os.chdir(folder)
        shutil.copy(programs / "fake_program", folder / "program")
        sys.path.insert(0, str(root / "workbench/serve/python"))
        sys.dont_write_bytecode = True
        sys.modules["pandas"] = None  # not installed, for these tests
        module = importlib.import_module("warpscope_serve")
        example_of_the_page(root, module)
        names_errors(module, folder)
        survives_ctrl_c_and_a_kill(module, folder)
        uses_pandas_if_there_is_one(module)
        package_is_sound(root)
        left = [path for path in pathlib.Path(tempfile.gettempdir()).glob("warpscope-*") if path.stat().st_uid == os.getuid()
                and (path / "stderr").exists()]
        expect(not left, f"temporary folders stay: {left}")
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# tests/repository/check_includes.py: includes point one way: kernels, scenes, profiling, workbench.
"""Usage: check_includes.py ROOT. Also holds who may see CUDA, Dear ImGui, OpenGL and GLFW, and that
x.cpp includes x.h before anything else: compiled, it proves that the header needs nothing before it.
"""
import pathlib
import re
import sys

import tracked

LAYERS = ["kernels", "scenes", "profiling", "workbench"]
# Rooms of a layer in the order of their arrow: a file includes from its own room and from those
# before it. "*" stands for the files at the top and for folders that are not named: scenes.
ROOMS = {
    "scenes": ["host", "base", "choice", "*"],
    "profiling": ["figures", "access", "points", "warps", "listings", "binaries", "text", "capture", "messages",
                  "launches", "training", "session", "claims",
                  "agreement",
                  "overview", "stalls", "export", "emulator", "engine"],
    "profiling/emulator": ["*", "ptx", "probes", "shadow", "state", "memory", "instructions", "async", "warpgroups",
                           "decode", "opcodes", "video", "hangs",
                           "run", "sass"],
    "profiling/emulator/sass": ["read", "lanes", "live", "decode", "*"],
    "profiling/engine": ["cuda", "compile", "run", "measure", "training", "process", "*"],
    "workbench": ["client", "workspace", "drawing", "panels", "docking", "lessons", "desktop",
                  "window", "options", "commands", "*"],
    "workbench/workspace": ["selection", "session", "scene", "jobs", "*"],
}
MOST_NAMES = 15  # of a room: a header and its sources are one name
SCENE = re.compile(r"^scenes/(?!host/|base/|choice/|cmake/)(\w+)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
CUDA = re.compile(r"^(cu(da|pti|blas|sparse|dnn|rand|Complex)|nvml|nvToolsExt|nvtx|nvPTX|crt/)")
NVRTC = re.compile(r"^nvrtc")
DRAWING = re.compile(r"^(imgui|imconfig|imstb|stb_|GL/|GLES|EGL/|epoxy/|glad/)")
SEE_GLFW = ("workbench/desktop/displays.cpp", "workbench/window/window.cpp")
GLFW = re.compile(r"^(GLFW/|imgui_impl_glfw)")


def room_of(path, house):
    """The place of a file in its house's row of rooms, or None where it is elsewhere."""
    if not path.startswith(house + "/"):
        return None
    rest = path[len(house) + 1:].split("/")
    name = rest[0] if len(rest) > 1 else "*"
    rooms = ROOMS[house]
    return rooms.index(name) if name in rooms else rooms.index("*") if "*" in rooms else None


def against_the_arrow(path, name):
    """Why the file may not include the other, by their rooms; or None."""
    for house in ROOMS:
        own, other = room_of(path, house), room_of(name, house)
        if own is not None and other is not None and other > own:
            return f"in {house}/ the room {ROOMS[house][own]} comes before {ROOMS[house][other]}"
    own, other = SCENE.match(path), SCENE.match(name)
    if own and other and own[1] != other[1]:
        return "a scene knows no other scene"
    return None


def late_headers(path, lines, is_file):
    """The finding where x.cpp does not begin its includes with the x.h beside it."""
    own = path.removesuffix(".cpp") + ".h"
    if path.split("/")[0] not in LAYERS or not path.endswith(".cpp") or not is_file(own):
        return []
    for number, line in enumerate(lines, 1):
        if line.lstrip().startswith("#"):
            include = INCLUDE.match(line)
            if include and include[1] == '"' and include[2] == own:
                return []
            return [f"{path}:{number}: {own} comes first, so that compiling this file proves that "
                    "the header compiles alone"]
    return [f"{path}:1: includes no {own}"]


def crowded(paths):
    """Rooms with more names than a person looks through."""
    names = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if path.split("/")[0] in LAYERS[1:] and name.endswith((".h", ".cpp")):
            names.setdefault(folder, set()).add(name.rsplit(".", 1)[0])
    return [f"{folder}/: {len(found)} names in one room, more than {MOST_NAMES}"
            for folder, found in sorted(names.items())
            if len(found) > MOST_NAMES]


def findings_in(path, lines, is_file):
    """What is wrong with one file's includes; is_file(path) tells what the tree holds."""
    layer = path.split("/")[0]
    found = []
    for number, line in enumerate(lines, 1):
        include = INCLUDE.match(line)
        if not include:
            continue
        quoted, name = include[1] == '"', include[2]
        where = f"{path}:{number}: includes {name}: "
        own = name.split("/")[0]
        if quoted and layer in LAYERS[1:] and not name.endswith(".inc"):
            if own not in LAYERS or not is_file(name):
                found.append(where + "a quoted include is a path from the repository's root")
        if layer in LAYERS and own in LAYERS and LAYERS.index(own) > LAYERS.index(layer):
            found.append(where + f"{layer}/ comes before {own}/")
        if layer == "kernels":
            continue
        if quoted and (why := against_the_arrow(path, name)):
            found.append(where + why)
        engine = path.startswith(("profiling/engine/", "profiling/capture/injected/", "tests/engine/"))
        emulator = path.startswith(("profiling/emulator/", "tests/emulator/"))
        # Programs as people have them are texts for the product.
        if CUDA.match(name) and not engine and not path.startswith(
                ("tests/situations/", "tests/emulator/corpus/", "tests/emulator/libraries/", "tests/benchmarks/captures/",
                 "tests/sass/instructions/record.cpp")):
            found.append(where + "only profiling/engine/ and what is injected see CUDA, CUPTI and NVTX")
        if NVRTC.match(name) and not engine and not emulator:
            found.append(where + "only profiling/engine/ and profiling/emulator/ see NVRTC")
        if name.startswith("profiling/engine/") and not engine and layer != "tests":
            found.append(where + "the engine is another process: nothing outside includes it")
        if DRAWING.match(name) and not path.startswith(("workbench/", "tests/workbench/")):
            found.append(where + "only workbench/ sees Dear ImGui and OpenGL")
        if name == "workbench/workspace/workspace.h" and path.startswith("workbench/panels/"):
            found.append(where + "a panel reads a SessionView, which it cannot change")
        if GLFW.match(name) and path not in SEE_GLFW:
            found.append(where + "only " + " and ".join(SEE_GLFW) + " see GLFW")
    return found


def prove_the_rules():
    """Each rule finds what it is for; the findings of a clean file are none."""
    bad = {
        "scenes/a.cpp": '#include "profiling/figures/metric.h"', "scenes/b.cpp": '#include "axis.h"',
        "profiling/a.cpp": "#include <cuda.h>", "profiling/b.cpp": "#include <imgui.h>",
        "workbench/a.cpp": "#include <GLFW/glfw3.h>", "workbench/b.cpp": "#include <cupti.h>",
        "workbench/c.cpp": '#include "profiling/engine/run/plan.h"', "scenes/c.cpp": "#include <nvrtc.h>",
        "kernels/a.cu": '#include "scenes/base/axis.h"',
        "scenes/host/a.cpp": '#include "scenes/base/axis.h"',
        "scenes/led/a.cpp": '#include "scenes/csrmm/work.h"',
        "profiling/access/a.cpp": '#include "profiling/session/session.h"',
        "profiling/emulator/ptx/a.cpp": '#include "profiling/emulator/run/scheduler.h"',
        "profiling/points/a.cpp": '#include "profiling/emulator/emulator.h"',
        "workbench/panels/a.cpp": '#include "workbench/window/frame.h"',
        "workbench/panels/b.cpp": '#include "workbench/workspace/workspace.h"',
        "workbench/workspace/session/a.cpp": '#include "workbench/workspace/jobs/live_jobs.h"',
    }
    for path, line in bad.items():
        assert findings_in(path, [line], lambda name: "/" in name), f"no rule saw {path}: {line}"
    good = {
        "scenes/a.cpp": '#include "scenes/base/axis.h"', "workbench/window/window.cpp": "#include <GLFW/glfw3.h>",
        "profiling/engine/a.cpp": "#include <cuda.h>", "workbench/a.cpp": "#include <imgui.h>",
        "profiling/emulator/a.cpp": "#include <nvrtc.h>",
        "profiling/emulator/run/a.cpp": '#include "profiling/emulator/emulator.h"',
        "scenes/catalogue.cpp": '#include "scenes/led/led.h"',
        "tests/scenes/a.cpp": '#include "scenes/led/led.h"',
    }
    for path, line in good.items():
        assert not findings_in(path, [line], lambda name: True), f"a rule refuses {path}: {line}"
    own = '#include "scenes/base/axis.h"'
    for lines in ([own], ["// a", "", own, "#include <vector>"]):
        assert not late_headers("scenes/base/axis.cpp", lines, lambda name: True), lines
    for lines in (["#include <vector>", own], ["#define A", own], ['#include "axis.h"'], []):
        assert late_headers("scenes/base/axis.cpp", lines, lambda name: True), lines
    assert not late_headers("scenes/base/axis.cpp", [], lambda name: False)
    full = [f"profiling/access/a{i}.{ending}" for i in range(MOST_NAMES) for ending in ("h", "cpp")]
    assert not crowded(full) and crowded(full + ["profiling/access/b.h"])


def main():
    prove_the_rules()
    root = sys.argv[1]
    found = []

    def is_file(name):
        return pathlib.Path(root, name).is_file()

    for path in tracked.files(root):
        if path.endswith((".h", ".cpp", ".cu", ".cuh")):
            lines = tracked.text(root, path).splitlines()
            found += findings_in(path, lines, is_file) + late_headers(path, lines, is_file)
    found += crowded(tracked.files(root))
    return tracked.report(found)


if __name__ == "__main__":
    sys.exit(main())

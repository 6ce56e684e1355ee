# tests/repository/check_layers.py: no layer is without tests.
"""Usage: check_layers.py CTEST BUILD-FOLDER LAYER... (a layer is the name of its executable)."""
import json
import pathlib
import subprocess
import sys


def main():
    ctest, folder, layers = sys.argv[1], sys.argv[2], sys.argv[3:]
    listed = subprocess.run([ctest, "--test-dir", folder, "--show-only=json-v1"],
                            capture_output=True, check=True)
    count = dict.fromkeys(layers, 0)
    for test in json.loads(listed.stdout)["tests"]:
        program = pathlib.Path((test.get("command") or [""])[0]).name
        if program in count:
            count[program] += 1
    for layer, tests in count.items():
        print(f"{layer}: {tests} tests")
    return 0 if layers and all(count.values()) else 1


if __name__ == "__main__":
    sys.exit(main())

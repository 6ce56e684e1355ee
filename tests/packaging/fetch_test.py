# tests/packaging/fetch_test.py: NVIDIA's wheels are installed only once their licence is accepted, and only as pinned.
"""Usage: fetch_test.py ROOT [lists]: with `lists` only the second check.

Runs assets/packaging/fetch_wheels.py with a wheel that is made here, without a network. Also: every list of
wheels has a version and two hashes for each wheel, and ./start names no other wheel.
"""
import hashlib
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import zipfile

failures = []


def expect(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def make_wheel(folder, version):
    """A wheel with a licence and a program; returns its line for pip."""
    folder.mkdir(exist_ok=True)
    path = folder / f"nvidia_made-{version}-py3-none-any.whl"
    about = f"nvidia_made-{version}.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("nvidia/cu13/bin/nvdisasm", f"program {version}\n")
        wheel.writestr(f"{about}/License.txt", "You may run this on Tuesdays.\n")
        wheel.writestr(f"{about}/METADATA", f"Metadata-Version: 2.1\nName: nvidia-made\nVersion: {version}\n")
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nGenerator: a\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return f"nvidia-made=={version} --hash=sha256:{digest}\n"


class Fetching:
    def __init__(self, root, folder):
        self.script = root / "assets/packaging/fetch_wheels.py"
        self.list, self.target = folder / "wheels.txt", folder / "data/cuda"
        self.there = {**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder / "wheels"), "PIP_CONFIG_FILE": "/dev/null"}

    def command(self, *words):
        return ["/usr/bin/python3", self.script, self.target, self.list, *words]

    def run(self, *words):
        return subprocess.run(self.command(*words), env=self.there, check=False, capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=120)

    def answered(self, answer):
        """With a terminal, at which a person answers. Returns the status and what the terminal showed."""
        ours, theirs = pty.openpty()
        child = subprocess.Popen(self.command(), env=self.there, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        os.write(ours, answer.encode())
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:
            pass  # the terminal's other side is closed
        os.close(ours)
        return child.wait(), said.decode()

    def installed(self):
        program = self.target / "nvidia/cu13/bin/nvdisasm"
        return program.read_text(encoding="utf-8") if program.exists() else None

    def left_over(self):
        return [path.name for path in self.target.parent.glob("*") if path != self.target]


def fetch(root, folder):
    wheels = folder / "wheels"
    fetching = Fetching(root, folder)
    fetching.list.write_text(make_wheel(wheels, "1.0"), encoding="utf-8")
    ran = fetching.run()
    expect(ran.returncode == 3 and "Tuesdays" in ran.stdout and "--accept-licence" in ran.stderr
           and fetching.installed() is None, f"without an answer nothing is installed: {ran}")
    status, said = fetching.answered("no\n")
    expect(status == 3 and "Tuesdays" in said and fetching.installed() is None, f"no is no: {said}")
    status, said = fetching.answered("yes\n")
    expect(status == 0 and "Tuesdays" in said and fetching.installed() == "program 1.0\n", f"yes installs: {said}")
    ran = fetching.run()
    expect(ran.returncode == 0 and "already" in ran.stdout, f"what is there is not fetched again: {ran}")
    fetching.list.write_text(make_wheel(wheels, "2.0"), encoding="utf-8")
    make_wheel(wheels, "2.0")  # the same content with another time: another file
    with zipfile.ZipFile(wheels / "nvidia_made-2.0-py3-none-any.whl", "a") as wheel:
        wheel.writestr("nvidia/more", "planted")
    ran = fetching.run("--accept-licence")
    expect(ran.returncode == 3 and "SHA-256" in ran.stderr and ran.stderr.count("\n") == 1
           and fetching.installed() == "program 1.0\n", f"another file is refused, and what was there stays: {ran}")
    fetching.list.write_text(make_wheel(wheels, "2.0"), encoding="utf-8")
    ran = fetching.run("--accept-licence")
    expect(ran.returncode == 0 and fetching.installed() == "program 2.0\n", f"a new list is installed: {ran}")
    fetching.list.write_text("nvidia-other==1.0 --hash=sha256:" + 64 * "0" + "\n", encoding="utf-8")
    ran = fetching.run("--accept-licence")
    expect(ran.returncode == 3 and "PIP_FIND_LINKS" in ran.stderr and ran.stderr.count("\n") == 1, f"no such wheel: {ran}")
    expect(not fetching.left_over(), f"nothing is left over: {fetching.left_over()}")


def lists_are_pinned(root):
    lists = sorted((root / "assets/packaging/wheels").glob("*.txt"))
    expect(len(lists) > 1, "there are lists of wheels")
    for path in lists:
        text = "\n".join(line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
        for entry in text.replace("\\\n", " ").split("\n"):
            good = re.fullmatch(r"nvidia-[\w-]+==[\d.]+( +--hash=sha256:[0-9a-f]{64}){2}", entry.strip())
            expect(not entry.strip() or good, f"{path.name}: no version with two hashes: {entry}")
    start = (root / "start").read_text(encoding="utf-8")
    for name in re.findall(r"^wheels\w*=\((.*)\)$", start, re.M):
        for word in name.split():
            expect((root / "assets/packaging/wheels" / f"{word}.txt").is_file(), f"./start names {word}, which is no list")
    expect("nvidia-cuda-nvrtc=" not in start and "--require-hashes" in start, "./start takes versions from the lists")


def main():
    root = pathlib.Path(sys.argv[1])
    lists_are_pinned(root)
    if sys.argv[2:] != ["lists"]:
        with tempfile.TemporaryDirectory(prefix="fetched-") as folder:
            fetch(root, pathlib.Path(folder))
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

# tests/packaging/install_test.py: an installed program works from wherever its folder is, and says what it lacks.
"""Usage: install_test.py ROOT BUILD.

Installs a build into a folder, moves the folder, and runs the programs there with an environment of their
own. Status 77 where the build has no program.
"""
import gzip
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "repository"))
import tracked  # pylint: disable=wrong-import-position

failures = []


def expect(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def files_below(folder):
    return {path.relative_to(folder).as_posix() for path in pathlib.Path(folder).rglob("*") if not path.is_dir()}


class Installed:
    def __init__(self, prefix, home):
        self.prefix, self.home = pathlib.Path(prefix), pathlib.Path(home)

    def run(self, *words):
        there = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "LIBGL_ALWAYS_SOFTWARE": "1",
                 **{name: os.environ[name] for name in ("CUDA_HOME", "WARPSCOPE_CUDA_ROOT") if name in os.environ}}
        return subprocess.run([self.prefix / "bin/warpscope", *words], cwd=self.home, env=there, check=False,
                              capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def everything_is_there(root, prefix):
    there = files_below(prefix)
    wanted = {"bin/warpscope", "share/man/man1/warpscope.1.gz", "share/bash-completion/completions/warpscope",
              "share/zsh/site-functions/_warpscope", "share/fish/vendor_completions.d/warpscope.fish",
              "share/applications/warpscope.desktop", "share/mime/packages/warpscope.xml",
              "lib/python3/dist-packages/warpscope_serve/__init__.py", "share/icons/hicolor/scalable/apps/warpscope.svg", "share/doc/warpscope/copyright"}
    for path in tracked.files(root):
        needed = path.startswith(("kernels/", "assets/")) and not path.startswith(("assets/pictures/", "assets/packaging/"))
        if needed or path.startswith("assets/packaging/wheels/"):
            wanted.add("share/warpscope/" + path)
        if path.endswith(".md"):
            wanted.add("share/doc/warpscope/" + path)
    for path in sorted(wanted - there):
        expect(False, f"{path} is not installed")
    pages = [path for path in there if path.startswith("share/doc/warpscope/") and path.endswith(".md")]
    for page in pages:
        text = re.sub(r"^```.*?^```", "", (prefix / page).read_text(encoding="utf-8"), flags=re.M | re.S)
        for target in re.findall(r"\[[^\]]*\]\(([^)\s#]+)", re.sub(r"`[^`]*`", "", text)):
            if "://" not in target and not target.startswith("mailto:"):
                expect(((prefix / page).parent / target).exists(), f"{page}: {target} is not installed")


def texts_are_sound(prefix):
    page = gzip.open(prefix / "share/man/man1/warpscope.1.gz", "rt", encoding="utf-8").read()
    expect(".SH ENVIRONMENT" in page and "\n.SS measure\n" in page, "the manual page lacks its parts")
    for path in ("share/mime/packages/warpscope.xml", "share/icons/hicolor/scalable/apps/warpscope.svg"):
        xml.etree.ElementTree.parse(prefix / path)
    for words in (["desktop-file-validate", "share/applications/warpscope.desktop"],
                  ["bash", "-n", "share/bash-completion/completions/warpscope"],
                  ["zsh", "-n", "share/zsh/site-functions/_warpscope"],
                  ["fish", "-n", "share/fish/vendor_completions.d/warpscope.fish"]):
        if shutil.which(words[0]):
            ran = subprocess.run([*words[:-1], prefix / words[-1]], capture_output=True, text=True, check=False)
            expect(ran.returncode == 0 and not ran.stdout, f"{words}: {ran.stdout}{ran.stderr}")


def programs_name_no_folder(root, build, prefix):
    for path in [*(prefix / "bin").iterdir(), *(prefix / "lib").rglob("*.so")]:
        content = path.read_bytes()
        for folder in (root, build):
            expect(str(folder).encode() not in content, f"{path.name} names {folder}")


def programs_run(installed):
    session = installed.prefix / "share/warpscope/assets/sessions/h200-patterns.wsj.gz"
    before = files_below(installed.prefix)
    ran = installed.run("list", "csrmm")
    expect(ran.returncode == 0 and "float4_columns" in ran.stdout, f"list: {ran}")
    ran = installed.run("render", str(session), "--panel", "roofline", "--out", "a.png")
    expect(ran.returncode == 0 and (installed.home / "a.png").stat().st_size > 10000, f"render: {ran}")
    ran = installed.run("play", "nowhere", "--offscreen")
    expect(ran.returncode == 2 and "coalescing" in ran.stderr, f"play does not find its lessons: {ran}")
    ran = installed.run("doctor")
    expect(f"kernels and assets in {installed.prefix}/share/warpscope" in ran.stdout, f"doctor: {ran}")
    module = installed.prefix / "lib/python3/dist-packages"
    ran = subprocess.run([sys.executable, "-B", "-c", "import warpscope_serve as w; print(w.ask('list', scene='led'))"],
                         env={"PYTHONPATH": module, "HOME": installed.home, "PATH": "/nowhere"}, check=False,
                         capture_output=True, text=True, timeout=60)
    expect(ran.returncode == 0 and "window_boxes" in ran.stdout, f"the Python module finds its program: {ran}")
    if (installed.prefix / "bin/warpscope-engine").exists() and "✔ nvrtc" in ran.stdout:
        ran = installed.run("verify", "patterns/copy", "n=65536")
        expect(ran.returncode == 0, f"verify: {ran}")
        ran = installed.run("capture", "--", "/bin/true")
        expect("no such library" not in ran.stderr, f"capture does not find its library: {ran.stderr}")
    expect(files_below(installed.prefix) == before, "the program wrote into its own folder")
    made = {path.split("/")[0] for path in files_below(installed.home)}
    expect(made <= {"a.png", ".cache", ".config"}, f"the program wrote {sorted(made)}")


def says_what_is_missing(installed):
    """Kernels that were left behind: one sentence, at once."""
    data = installed.prefix / "share/warpscope"
    (data / "kernels").rename(data / "kept")
    for words in ((), ("verify", "patterns"), ("render", "--panel", "roofline", "--out", "b.png"),
                  ("play", "coalescing", "--offscreen"), ("doctor", "--fetch")):
        ran = installed.run(*words)
        expect(ran.returncode == 3 and "kernels/ and assets/ were not found" in ran.stderr
               and ran.stderr.count("\n") == 1, f"without kernels: {words}: {ran}")
    (data / "kept").rename(data / "kernels")
    (data / "kernels/patterns/copy.cu").unlink()
    ran = installed.run("trace", "patterns/copy")
    expect(ran.returncode == 3 and "copy.cu" in ran.stderr, f"without one kernel: {ran}")


def main():
    root, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not (build / "bin/warpscope").exists():
        return 77
    with tempfile.TemporaryDirectory(prefix="installed-") as folder:
        folder = pathlib.Path(folder)
        subprocess.run(["cmake", "--install", build, "--prefix", folder / "first"], check=True,
                       stdout=subprocess.DEVNULL)
        (folder / "first").rename(folder / "moved")
        (folder / "home").mkdir()
        installed = Installed(folder / "moved", folder / "home")
        everything_is_there(root, installed.prefix)
        texts_are_sound(installed.prefix)
        programs_name_no_folder(root, build, installed.prefix)
        programs_run(installed)
        says_what_is_missing(installed)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

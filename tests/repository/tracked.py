# tests/repository/tracked.py: the files of the source tree, for the checks beside it.
import pathlib
import subprocess

CODE = (".h", ".cpp", ".cu", ".cuh")
SCRIPT = (".py", ".cmake", "CMakeLists.txt", ".sh")

def files(root):
    """Paths below root as posix strings: what git tracks or would, else all but build output."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, check=False)
    if listed.returncode == 0:
        paths = listed.stdout.decode().split("\0")
    else:
        paths = [p.relative_to(root).as_posix() for p in pathlib.Path(root).rglob("*")]
        paths = [p for p in paths if p.split("/")[0] not in ("build", "out", ".git")]
    return sorted({p for p in paths if p and pathlib.Path(root, p).is_file()})


def text(root, path):
    return pathlib.Path(root, path).read_text(encoding="utf-8")


def report(findings):
    """Prints the findings and gives the exit status."""
    for finding in findings:
        print(finding)
    print(f"{len(findings)} findings")
    return 1 if findings else 0

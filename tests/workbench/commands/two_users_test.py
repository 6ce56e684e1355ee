# tests/workbench/commands/two_users_test.py: a user of the same machine can neither read what another's Warpscope keeps nor stop it.
"""Usage: two_users_test.py ROOT BIN.

Runs the program as two users who share a temporary folder, in which the second one plants and locks what he
can. Needs root, to become two users; status 77 with a reason where that is not so.
"""
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ALICE, BOB = 60001, 60002  # numbers need no names
failures = []


def expect(good, words):
    if not good:
        failures.append(words)
        print(f"FAILED: {words}")


def skip(words):
    print(f"skipped: {words}")
    sys.exit(77)


class Machine:
    """Two users, an installed program, and a temporary folder for everyone."""

    def __init__(self, folder, programs, root):
        self.programs, self.shared = folder / "installed/bin", folder / "tmp"
        folder.chmod(0o755)
        self.shared.mkdir()
        self.shared.chmod(0o1777)
        self.programs.mkdir(parents=True)
        for name in ("warpscope", "warpscope-engine", "fake_engine"):
            shutil.copy(programs / name, self.programs)
        for name in ("kernels", "assets"):
            shutil.copytree(root / name, folder / "installed" / name, ignore=shutil.ignore_patterns("pictures"))
        self.home = {}
        for user, name in ((ALICE, "alice"), (BOB, "bob")):
            self.home[user] = folder / name
            self.home[user].mkdir()
            os.chown(self.home[user], user, user)

    def environment(self, user, with_home=True):
        return {"PATH": "/usr/bin:/bin", "TMPDIR": str(self.shared), "FAKE_ENGINE_MODE": "counts",
                **({"HOME": str(self.home[user])} if with_home else {})}

    def run(self, user, *words, with_home=True):
        return subprocess.run([self.programs / "warpscope", *words], user=user, group=user, extra_groups=[],
                              env=self.environment(user, with_home), cwd=self.home[user], check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)

    def python(self, user, code, *words):
        return subprocess.Popen(["/usr/bin/python3", "-c", code, *map(str, words)], user=user, group=user, extra_groups=[],
                                env={}, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def kept_files_are_private(machine):
    """Without a home, the cache lies in the temporary folder."""
    ran = machine.run(ALICE, "trace", "patterns/copy", "n=1024", with_home=False)
    if ran.returncode == 3:
        skip(f"there is no compiler: {ran.stderr.strip()}")
    expect(ran.returncode == 0, f"a kernel is emulated: {ran}")
    made = [path for path in machine.shared.iterdir() if path.stat().st_uid == ALICE]
    expect(made, "Alice's cache lies in the temporary folder")
    code = "import os, sys\nfor path in sys.argv[1:]: print(os.access(path, os.R_OK) or os.access(path, os.W_OK))"
    said = machine.python(BOB, code, *made).communicate()[0]
    expect("True" not in said, f"Bob can open one of {made}")


def planted_folders_are_not_used(machine):
    for path in machine.shared.iterdir():
        shutil.rmtree(path)
    place = machine.shared / f"warpscope-{ALICE}"
    for plant in ("os.mkdir(path, 0o777)", "os.symlink('/etc', path)", "open(path, 'w').close()"):
        machine.python(BOB, f"import os, sys\npath = sys.argv[1]\n{plant}", place).communicate()
        ran = machine.run(ALICE, "trace", "patterns/copy", "n=1024", with_home=False)
        expect(ran.returncode == 0, f"{plant}: the kernel is emulated all the same: {ran}")
        expect(not place.is_dir() or place.is_symlink() or not list(place.iterdir()), f"{plant}: Alice wrote into it")
        if place.is_dir() and not place.is_symlink():
            place.rmdir()
        else:
            place.unlink()


def planted_kernels_are_not_found(machine):
    """A program that was copied without its files, below a folder in which everyone may write."""
    own = machine.shared / "alice" / "bin"
    own.mkdir(parents=True)
    shutil.copy(machine.programs / "warpscope", own)
    for path in (own.parent, own, own / "warpscope"):
        os.chown(path, ALICE, ALICE)
    code = "import os, sys\nfor name in ('kernels', 'assets'): os.mkdir(sys.argv[1] + '/' + name)"
    machine.python(BOB, code, machine.shared).communicate()
    ran = subprocess.run([own / "warpscope", "trace", "patterns/copy"], user=ALICE, group=ALICE, extra_groups=[],
                         env=machine.environment(ALICE), check=False, capture_output=True, text=True, timeout=60)
    expect(ran.returncode == 3 and "were not found" in ran.stderr, f"Bob's kernels were taken: status {ran.returncode}, {ran.stderr}")


def locks_stop_nobody(machine):
    """Bob may read Alice's session and folder of kernels, and so can lock them."""
    home = machine.home[ALICE]
    serve = [machine.programs / "warpscope", "serve", "--engine", machine.programs / "fake_engine", "--session", "run.wsj"]
    locking = ("import fcntl, os, sys\nheld = [os.open(path, os.O_RDONLY) for path in sys.argv[1:]]\n"
               "for one in held: fcntl.flock(one, fcntl.LOCK_EX)\nprint('locked', flush=True)\nsys.stdin.read()")
    made = machine.run(ALICE, "fork", "patterns/copy", "--to", str(home / "mine"))
    expect(made.returncode == 0, f"Alice forks a kernel: {made}")
    first = machine.run(ALICE, "measure", "patterns/copy", "n=1024", "--engine", str(machine.programs / "fake_engine"),
                        "--session", "run.wsj")
    expect(first.returncode == 0, f"Alice records a session: {first}")
    bob = machine.python(BOB, locking, home / "run.wsj", home / "mine")
    expect(bob.stdout.readline() == "locked\n", "Bob locks them")
    requests = [{"request": "measure", "variant": "csrmm/float4_columns"},
                {"request": "verify", "variant": f"{home}/mine/copy_fork", "axes": {"n": 1024}}]
    ran = subprocess.run(serve[:2] + serve[4:], user=ALICE, group=ALICE, extra_groups=[], cwd=home,
                         env={**machine.environment(ALICE), "WARPSCOPE_ENGINE": str(machine.programs / "fake_engine")},
                         input="".join(json.dumps(request) + "\n" for request in requests), check=False,
                         capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in ran.stdout.splitlines()]
    expect(len(answers) == 3 and all(answer["ok"] for answer in answers), f"Alice works all the same: {ran}")
    expect('"float4_columns"' in (home / "run.wsj").read_text(encoding="utf-8"), "her session has the new point")
    with open(home / "run.wsj", encoding="utf-8") as session:  # as root: a lock that counts
        bob.communicate()
        fcntl.flock(session, fcntl.LOCK_EX)
        second = machine.run(ALICE, "measure", "patterns/copy", "n=1024", "--engine",
                             str(machine.programs / "fake_engine"), "--session", "run.wsj")
        expect(second.returncode == 3 and "records into this session" in second.stderr, f"a lock of root counts: {second}")


def main():
    root, programs = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    if os.geteuid() != 0:
        skip("only root can become two users")
    if not all((programs / name).exists() for name in ("warpscope", "warpscope-engine", "fake_engine")):
        skip("the programs are not built")
    with tempfile.TemporaryDirectory(prefix="two-users-", dir="/tmp") as folder:
        machine = Machine(pathlib.Path(folder), programs, root)
        kept_files_are_private(machine)
        planted_folders_are_not_used(machine)
        planted_kernels_are_not_found(machine)
        locks_stop_nobody(machine)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

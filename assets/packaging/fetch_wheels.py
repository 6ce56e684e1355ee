# assets/packaging/fetch_wheels.py: shows the licences of NVIDIA's wheels, then installs them for one user.
"""Usage: fetch_wheels.py FOLDER [--accept-licence] FILE...

Each FILE lists wheels with their versions and hashes, as pip reads them. pip brings them from wherever it
is set up to look. The licences are shown as they stand in the wheels, and nothing is installed before the
person agreed. FOLDER appears whole or stays as it was. Status 3: something is missing, or was refused.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

LICENCE = ("licen", "copying", "eula", "notice")


def lack(words):
    sys.stdout.flush()
    print(f"warpscope: {words}", file=sys.stderr)
    sys.exit(3)


def run_pip(python, words, what):
    ran = subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "-q", *words], check=False,
                         stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if ran.returncode == 0:
        return
    if "DO NOT MATCH THE HASHES" in ran.stderr:
        lack("pip was given another file than the one whose SHA-256 Warpscope knows; nothing was installed: "
             "point pip at an index that has the original")
    said = [line.strip() for line in ran.stderr.splitlines() if line.strip()] or [f"status {ran.returncode}"]
    # That there is no such wheel is what pip says last, also where it reached no index.
    why = next((line for line in said if "Caused by" in line or line.startswith("Could not fetch")), said[-1])
    lack(f"{what} (pip: {why[:300]}); check the network, or put the wheels into a folder and set "
         "PIP_FIND_LINKS to it")


def licences(wheels):
    """Texts and the wheels that have them; a wheel without one is named with none."""
    texts = {}
    for wheel in sorted(wheels):
        with zipfile.ZipFile(wheel) as archive:
            found = [name for name in archive.namelist() if ".dist-info/" in name
                     and pathlib.PurePosixPath(name).name.lower().startswith(LICENCE)]
            read = {archive.read(name).decode("utf-8", "replace").strip() for name in found}
        for text in sorted(read) or ["(this wheel has no text of its licence)"]:
            texts.setdefault(text, []).append(wheel.name)
    return texts


def agreed():
    if not sys.stdin.isatty():
        lack("the licences above were not accepted, and nothing was installed: read them, then add "
             "--accept-licence")
    try:
        return input("\nDo you accept these licences? Type yes to install: ").strip().lower() == "yes"
    except EOFError:
        return False


def main():
    words = sys.argv[1:]
    accepted = "--accept-licence" in words
    target, *lists = [word for word in words if word != "--accept-licence"]
    target = pathlib.Path(target)
    wanted = "".join(pathlib.Path(name).read_text(encoding="utf-8") for name in lists)
    mark = target / "complete"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        print(f"The wheels are in {target} already.")
        return 0
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        lack(f"{target.parent} cannot be made: {error.strerror}")
    with tempfile.TemporaryDirectory(prefix=".warpscope-fetch-", dir=target.parent) as made:
        made = pathlib.Path(made)
        venv = subprocess.run([sys.executable, "-m", "venv", made / "venv"], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if venv.returncode != 0:
            lack("Python cannot make a virtual environment, which brings pip: install python3-venv")
        python = made / "venv/bin/python"
        needs = [word for name in lists for word in ("-r", name)]
        print("Downloading NVIDIA's wheels", flush=True)
        run_pip(python, ["download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir",
                         "--dest", made / "wheels", *needs], "the wheels could not be downloaded")
        wheels = list((made / "wheels").glob("*.whl"))
        for text, names in licences(wheels).items():
            print(f"\n==== {', '.join(names)} ====\n\n{text}")
        if not accepted and not agreed():
            lack("the licences were not accepted, and nothing was installed")
        run_pip(python, ["install", "--no-deps", "--no-index", "--find-links", made / "wheels", "--only-binary",
                         ":all:", "--require-hashes", "--no-compile", "--target", made / "new", *needs],
                "the wheels could not be installed")
        (made / "new/complete").write_text(wanted, encoding="utf-8")
        if target.exists():
            os.rename(target, made / "old")
        os.rename(made / "new", target)
        size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
        print(f"Installed in {target} ({size / 1e6:.0f} MB)")
        shutil.rmtree(made / "old", ignore_errors=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        lack("cancelled: nothing was installed")
    except OSError as error:
        lack(f"{error.filename or 'a file'}: {error.strerror}")

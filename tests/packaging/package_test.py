# tests/packaging/package_test.py: the package for Debian installs on a bare system and works there.
"""Usage: package_test.py BUILD [--keep FOLDER].

Makes the package of a build, and a bare Debian 12 with debootstrap. Installs the package there without
recommended packages, and then does as a user what needs no compiler: doctor, a picture of a recorded
session, a captured kernel on the emulator. Then it fetches NVIDIA's wheels and verifies a kernel that is
compiled. Needs root, debootstrap and a network; status 77 where one is missing. --keep copies the package
and the picture.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NVIDIA = re.compile(r"/(lib(cu|nv|cupti)[^/]*\.so[^/]*|nvdisasm|nvcc|ptxas|cicc|cuda[^/]*\.h|nvrtc\.h)$")
# 1024 elements of 4 bytes: 128 sectors of 32 bytes are loaded.
PTX = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<5>;
  .reg .f32 %f<3>;
  ld.param.u64 %rd1, [x];
  cvta.to.global.u64 %rd1, %rd1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  mul.wide.s32 %rd2, %r4, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.f32 %f1, [%rd3];
  add.f32 %f2, %f1, %f1;
  st.global.f32 [%rd3], %f2;
  ret;
}
"""
failures = []


def expect(good, words):
    print(f"passed: {words[:90].splitlines()[0]}" if good else f"FAILED: {words}", flush=True)
    if not good:
        failures.append(words)


def skip(words):
    print(f"skipped: {words}")
    sys.exit(77)


def mirror():
    """The archive that this machine's apt uses for Debian 12."""
    policy = subprocess.run(["apt-cache", "policy"], capture_output=True, text=True, check=False).stdout
    found = re.search(r" (\S+://\S+) bookworm/main ", policy)
    return found[1] if found else skip("apt names no archive of Debian 12 (run apt-get update)")


def make_package(build, folder):
    subprocess.run(["cpack", "--config", build / "CPackConfig.cmake", "-B", folder], check=True,
                   stdout=subprocess.DEVNULL)
    return next(folder.glob("*.deb"))


def package_is_ours(package):
    listed = subprocess.run(["dpkg-deb", "--contents", package], capture_output=True, text=True, check=True).stdout
    paths = [line.split()[5].lstrip(".") for line in listed.splitlines()]
    theirs = [path for path in paths if NVIDIA.search(path)]
    expect(not theirs and any(path == "/usr/bin/warpscope" for path in paths),
           f"the package has our programs and no file of NVIDIA {theirs}")
    fields = subprocess.run(["dpkg-deb", "--field", package], capture_output=True, text=True, check=True).stdout
    for name in ("libc6", "libstdc++6", "libfmt9", "libglfw3", "libegl1"):
        expect(re.search(rf"^Depends:.*\b{re.escape(name)}", fields, re.M) is not None, f"it depends on {name}")


class BareSystem:
    """A root of Debian 12, with mounts that end with this process."""

    def __init__(self, folder):
        self.root = folder / "root"
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", self.root, mirror()], check=True,
                       stdout=subprocess.DEVNULL)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.variables = {name: value for name, value in os.environ.items()
                          if name.startswith("PIP_") or name.lower().endswith("_proxy")}
        if pathlib.Path("/etc/pip.conf").is_file():
            shutil.copy("/etc/pip.conf", self.root / "etc/pip.conf")
        self.as_root("useradd", "--create-home", "person")

    def run(self, words):
        script = 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"'
        there = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8",
                 "DEBIAN_FRONTEND": "noninteractive", **self.variables}
        return subprocess.run(["unshare", "--mount", "sh", "-c", script, self.root, *words], env=there, check=False,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900)

    def as_root(self, *words):
        ran = self.run(words)
        if ran.returncode != 0:
            print(f"{words}: {ran.stdout[-2000:]}{ran.stderr[-2000:]}")
        return ran

    def person(self, command):
        return self.run(["su", "--whitelist-environment=" + ",".join(self.variables), "-", "person", "-c", command])


def works_without_a_compiler(system, keep):
    ran = system.person("warpscope doctor")
    expect(ran.returncode == 3 and "warpscope doctor --fetch" in ran.stdout
           and "✔ drawing" in ran.stdout and "✔ fonts" in ran.stdout,
           f"doctor says what is missing, and what to do: {ran.stdout}{ran.stderr}")
    ran = system.person("cd && warpscope render /usr/share/warpscope/assets/sessions/h200-csrmm.wsj.gz --out a.png")
    picture = system.root / "home/person/a.png"
    expect(ran.returncode == 0 and picture.is_file() and picture.stat().st_size > 50000,
           f"the recorded session is drawn {ran.stderr}")
    if keep and picture.is_file():
        shutil.copy(picture, keep / "installed.png")
    (system.root / "tmp/twice.ptx").write_text(PTX, encoding="utf-8")
    ran = system.person("warpscope trace /tmp/twice.ptx --grid 4 --block 256 --arg x=f32[1024]:iota --print 'x[1020:1024]' --json")
    totals = {row["id"]: row.get("value") for row in json.loads(ran.stdout)["metrics"]} if ran.returncode == 0 else {}
    expect(totals.get("emulated.l1.sectors_load") == 128, f"a kernel in PTX is emulated {ran.stdout[-300:]}{ran.stderr}")
    ran = system.person("warpscope verify patterns/copy")
    expect(ran.returncode == 3 and "warpscope doctor --fetch" in ran.stderr,
           f"a kernel that must be compiled names the remedy {ran.stderr}")


def works_with_the_wheels(system):
    ran = system.person("warpscope doctor --fetch")
    expect(ran.returncode == 3 and "python3" in ran.stderr, f"without pip, the remedy is named {ran.stderr}")
    system.as_root("apt-get", "-qq", "install", "-y", "--no-install-recommends", "python3-venv")
    if certificates := os.environ.get("PIP_CERT"):  # after the system has its own, which would replace it
        shutil.copy(certificates, system.root / "etc/pip_certificates.crt")
        system.variables["PIP_CERT"] = "/etc/pip_certificates.crt"
    ran = system.person("warpscope doctor --fetch")
    expect(ran.returncode == 3 and "LICENSE" in ran.stdout.upper() and "NVIDIA" in ran.stdout
           and "nothing was installed" in ran.stderr, f"the licence is shown first {ran.stderr}")
    expect(not (system.root / "home/person/.local/share/warpscope/cuda").exists(), "nothing is installed by then")
    ran = system.person("warpscope doctor --fetch --accept-licence | tail -n 20")
    expect("✔ nvrtc" in ran.stdout and "✔ emulator" in ran.stdout, f"the wheels are found {ran.stdout}{ran.stderr}")
    ran = system.person("warpscope verify patterns/copy")
    expect(ran.returncode == 0 and "correct" in ran.stdout, f"a kernel is compiled and emulated {ran.stdout}{ran.stderr}")
    ran = system.person("python3 -c \"import warpscope_serve as w; print(w.trace('patterns/copy', n=1024))\"")
    expect("copy: all blocks of 4" in ran.stdout, f"the Python module finds it {ran.stdout}{ran.stderr}")
    ran = system.person("warpscope sass patterns/copy")
    expect("LDG" in ran.stdout, f"its machine code is shown {ran.stdout[-500:]}{ran.stderr}")


def nothing_stays(system):
    expect(system.as_root("apt-get", "-qq", "purge", "-y", "warpscope").returncode == 0, "the package is removed")
    left = [str(path) for path in (system.root / "usr").rglob("*warpscope*")]
    expect(not left, f"nothing of it stays in /usr {left}")


def main():
    build = pathlib.Path(sys.argv[1])
    keep = pathlib.Path(sys.argv[3]) if sys.argv[2:3] == ["--keep"] else None
    for program in ("debootstrap", "cpack", "dpkg-shlibdeps", "unshare"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed")
    if os.geteuid() != 0:
        skip("only root can make another system's root")
    with tempfile.TemporaryDirectory(prefix="bare-") as folder:
        folder = pathlib.Path(folder)
        package = make_package(build, folder / "package")
        if keep:
            shutil.copy(package, keep)
        package_is_ours(package)
        system = BareSystem(folder)
        shutil.copy(package, system.root / "tmp")
        ran = system.as_root("apt-get", "-qq", "install", "-y", "--no-install-recommends", f"/tmp/{package.name}")
        expect(ran.returncode == 0, "apt installs the package with what it depends on")
        works_without_a_compiler(system, keep)
        works_with_the_wheels(system)
        nothing_stays(system)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

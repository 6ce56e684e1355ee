# workbench/serve/python/warpscope_serve/connection.py: one running `warpscope serve`, and the commands beside it.
"""The program has the name of this package up to the underscore, so that a renamed product is found."""
import atexit
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading

from .results import Error, Picture, Trace, frame, rows_of_csv

NAME = __package__.partition("_")[0]


def find_program(given=None):
    """The program: as given, else of the installation that this package is part of, else in PATH."""
    if given is not None:
        found = shutil.which(str(given))
        if found is None:
            raise Error(f"{given} is not a program", "give the path of the program")
        return found
    # PREFIX/lib/python3/dist-packages/NAME_serve
    above = pathlib.Path(__file__).resolve().parents
    beside = above[4] / "bin" / NAME if len(above) > 4 else pathlib.Path()
    found = str(beside) if beside.is_file() else shutil.which(NAME)
    if found is None:
        raise Error(f"the program {NAME} was not found",
                    f"install it and add its folder to PATH, or call start(program=\"/path/to/{NAME}\")")
    return found


def words_of(options):
    """Options as words of a command line: time_limit=3 becomes --time-limit 3."""
    words = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is True:
                words.append(option)
            elif each is not False and each is not None:
                words += [option, str(each)]
    return words


class Connection:
    """One program that answers requests, one after the other. Several threads may use it.

    program: path of the program; by default that of this installation, else the one in PATH
    session: a .wsj file that keeps all that is measured or emulated; by default a temporary file
    Other options are those of `warpscope serve`, such as host="user@machine", device=1 or limit=60.
    """

    def __init__(self, program=None, session=None, **options):
        self.program = find_program(program)
        self._folder = tempfile.TemporaryDirectory(prefix=f"{NAME}-")  # its mode is 0700
        self.session = pathlib.Path(session) if session is not None else pathlib.Path(self._folder.name, "session.wsj")
        self._said = pathlib.Path(self._folder.name, "stderr")
        self._turn = threading.Lock()
        self._number = 0
        words = [self.program, "serve", "--session", str(self.session), *words_of(options)]
        with open(self._said, "wb") as said:
            self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said,
                                             start_new_session=True)  # Ctrl-C is for Python
        atexit.register(self.close)
        try:
            greeting = self._answer()
        except Error:
            self.close()
            raise
        if greeting.get("result", {}).get("serves") is None:
            self.close()
            raise Error(f"{self.program} does not answer as {NAME} serve does",
                        "it may be another program of this name: call start(program=…) with the right path")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Ends the program: what runs is cancelled. A session file that you named stays."""
        atexit.unregister(self.close)
        process = self._process
        try:
            process.stdin.write(b'{"request": "quit"}\n')
            process.stdin.close()
        except OSError:
            pass  # it has ended already
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        self._folder.cleanup()

    def ask(self, request, **fields):
        """The result of any request of `warpscope serve`. Fields that are None are left out."""
        with self._turn:
            self._number += 1
            number = self._number
            self._send({"id": number, "request": request,
                        **{name: value for name, value in fields.items() if value is not None}})
            try:
                return self._result(number)
            except KeyboardInterrupt:
                self._cancel()
                raise

    def measure(self, variant, /, counters="none", **axes):
        """Times a variant on the GPU, after checking its output. One row per metric, as in the program's CSV."""
        points = self.ask("measure", variant=variant, counters=counters, axes=axes or None)["points"]
        lines = "".join(json.dumps({"type": "measurement", **point}) + "\n" for point in points)
        ran = self._command(["export", "-", "--csv", "-"], lines)
        types = {name: value for point in points for name, value in point["axes"].items()}
        return frame(rows_of_csv(ran.stdout, types))

    def trace(self, variant, /, **axes):
        """Emulates a variant and counts its memory requests. Needs no GPU."""
        return Trace(self.ask("trace", variant=variant, axes=axes or None)["steps"])

    def render(self, panel="window", variant=None, session=None, svg=False, axes=None, **options):
        """Draws a panel of what was measured here, or of a session file. A notebook shows the result.

        variant: SCENE or SCENE/VARIANT to show; by default one of the session
        axes: values by axis, as a dictionary
        Other options are those of `warpscope render`, such as size="1200x800", scale=2 or theme="light".
        """
        shown = pathlib.Path(session) if session is not None else self.session
        if session is None and not (shown.is_file() and shown.stat().st_size):
            raise Error("nothing was measured or emulated here yet", "measure a variant first, or give session=FILE")
        scene, _, name = (variant or "").rpartition("/") if "/" in (variant or "") else (variant or "", "", "")
        with tempfile.TemporaryDirectory(prefix=f"{NAME}-") as folder:
            out = pathlib.Path(folder, "picture.svg" if svg else "picture.png")
            words = words_of({"panel": panel, "scene": scene or None, "variant": name or None, "out": out,
                              "axis": [f"{axis}={value}" for axis, value in (axes or {}).items()], **options})
            self._command(["render", str(shown), *words])
            return Picture(out.read_bytes(), svg)

    def capture(self, program, kernel=None, out=None, **options):
        """Runs a CUDA program. Without `kernel`: one row per kernel and launch shape. With a regular expression
        that its name must match: saves one launch of it, and returns the file's path.

        program: a list of words, or a text as for a shell
        Other options are those of `warpscope capture`, such as launch=3 or budget=2048.
        """
        words = shlex.split(program) if isinstance(program, str) else [str(word) for word in program]
        if kernel is None:
            ran = self._command(["capture", "--json", *words_of(options), "--", *words])
            return frame([{"name": row["name"], "symbol": row["symbol"], **shape}
                          for row in json.loads(ran.stdout)["kernels"] for shape in row["shapes"]])
        if out is None:
            raise Error("a captured launch needs a file", "give out=\"NAME.wcap\"", "capture", "usage")
        ran = self._command(["capture", *words_of({"kernel": kernel, "out": out, **options}), "--", *words])
        sys.stdout.write(ran.stdout)  # what the program printed
        return pathlib.Path(out)

    def _send(self, request):
        line = json.dumps(request).encode() + b"\n"
        try:
            self._process.stdin.write(line)
            self._process.stdin.flush()
        except (OSError, ValueError):
            raise self._ended() from None

    def _answer(self):
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._ended()
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        return answer if isinstance(answer, dict) else {}

    def _result(self, number):
        while True:
            answer = self._answer()
            if answer.get("id") == number:
                break
        if answer.get("ok"):
            return answer["result"]
        error = answer["error"]
        raise Error(error["what"], error["remedy"], error["where"], error["kind"])

    def _cancel(self):
        """After Ctrl-C: the request ends, and the next one is answered as usual. Answers come in order, so the
        answer to one more request is the end of what was under way, also if half a line was lost."""
        self._send({"request": "cancel"})
        self._number += 1
        self._send({"id": self._number, "request": "list", "scene": "nowhere"})
        try:
            self._result(self._number)
        except Error:
            pass

    def _ended(self):
        try:
            status = self._process.wait(10)
        except subprocess.TimeoutExpired:
            status = None
        said = ""
        if self._said.is_file():
            said = self._said.read_text(encoding="utf-8", errors="replace").strip()
        return Error(f"{self.program} serve has ended" + (f" with status {status}" if status else "")
                     + (f": {said.splitlines()[-1]}" if said else ""), "call start() to start it again")

    def _command(self, words, text=None):
        """Another command of the same program. Its last message becomes the error if it fails."""
        ran = subprocess.run([self.program, *words], input=text if text is not None else "", capture_output=True,
                             text=True, check=False, env=os.environ)
        if ran.returncode != 0:
            lines = ran.stderr.strip().splitlines()
            what = lines[-1] if lines else f"{words[0]} ended with status {ran.returncode}"
            kind = {1: "fault", 2: "usage", 3: "environment"}.get(ran.returncode, "internal")
            raise Error(what[len(NAME) + 2:] if what.startswith(NAME + ": ") else what, kind=kind)
        return ran

# workbench/serve/python/warpscope_serve/results.py: what calls return: tables, traces, pictures, errors.
"""Tables are pandas frames if pandas is installed, and lists of dictionaries if it is not."""
import csv
import html
import io
import pathlib

# Columns of the program's CSV that are numbers. Axes have the types that the program answers with.
NUMBERS = {"value", "samples", "noise_ratio", "spread", "sm_clock_mhz"}


class Error(RuntimeError):
    """A failure that the program named: what is wrong, where, and what to do.

    kind: usage, input, environment (such as no GPU), resource, fault or internal.
    """

    def __init__(self, what, remedy="", where="", kind="environment"):
        self.what, self.remedy, self.where, self.kind = what, remedy, where, kind
        super().__init__((f"{where}: " if where else "") + what + (f"; {remedy}" if remedy else ""))


def frame(rows):
    """The rows as a pandas frame, or as they are without pandas."""
    try:
        import pandas  # pylint: disable=import-outside-toplevel
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


def rows_of_csv(text, axes):
    """One dictionary per row. An empty cell is None, an axis has the type that it has in `axes`."""
    rows = []
    for row in csv.DictReader(io.StringIO(text)):
        for name, cell in row.items():
            if cell == "":
                row[name] = None
            elif name in axes and not isinstance(axes[name], str):
                row[name] = type(axes[name])(float(cell))
            elif name in NUMBERS:
                row[name] = float(cell)
        rows.append(row)
    return rows


class Trace:
    """An emulated variant. `steps` is the program's whole answer.

    lines: one row per source line: instructions, requests, sectors, wavefronts
    metrics: one row per step and metric
    faults: one row per fault, such as a read outside of a buffer; empty if there is none
    """

    def __init__(self, steps):
        self.steps = steps

    def _rows(self, part):
        return [{"step": step["step"], "entry": step["entry"], **row} for step in self.steps for row in part(step)]

    @property
    def lines(self):
        return frame(self._rows(lambda step: step["lines"]))

    @property
    def metrics(self):
        return frame(self._rows(lambda step: [{"metric": name, "value": value, "of": step["of"]}
                                              for name, value in step["metrics"].items()]))

    @property
    def faults(self):
        return self._rows(lambda step: [row if isinstance(row, dict) else {"fault": row} for row in step["faults"]])

    def __repr__(self):
        return "\n".join(f"{step['step']}: {step['of']}, {len(step['lines'])} lines, {len(step['faults'])} faults"
                         for step in self.steps)

    def _repr_html_(self):
        rows = self._rows(lambda step: step["lines"])
        names = list(rows[0]) if rows else []
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(row[name]))}</td>" for name in names) + "</tr>"
                        for row in rows)
        return "<table><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in names) + f"</tr>{cells}</table>"


class Picture:
    """A drawn panel. A notebook shows it; `save` writes it to a file."""

    def __init__(self, content, is_svg):
        self.content, self.is_svg = content, is_svg

    def _repr_png_(self):
        return None if self.is_svg else self.content

    def _repr_svg_(self):
        return self.content.decode("utf-8") if self.is_svg else None

    def save(self, path):
        """Writes the picture and returns its path. The name should end in .png, or .svg if it is one."""
        path = pathlib.Path(path)
        path.write_bytes(self.content)
        return path

    def __repr__(self):
        return f"<{'SVG' if self.is_svg else 'PNG'} picture of {len(self.content)} bytes>"

# tests/emulator/foreign/written.py: a producer's PTX as a file of this folder.
import os
import re


def write_ptx(folder, producer, kernel, version, note, text):
    """The text as it is, but for the folders of the machine that it was made on."""
    text = re.sub(r'(\.file\s+\d+ ")[^"]*/', r"\1", text)
    with open(os.path.join(folder, f"{producer}_{kernel}.ptx"), "w", encoding="utf-8") as file:
        file.write(f"// {version}; {note}\n" + text.rstrip("\n \t\0") + "\n")

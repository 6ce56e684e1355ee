# tests/reports/browser_test.py: a browser shows reports whole on a screen and a phone, and prints them.
"""Usage: browser_test.py WARPSCOPE FOLDER. Status 77: there is no browser, or no pdftotext.

Writes reports of recorded sessions, of two devices and of a session that was only emulated. A browser
measures each page at 1280 and at 390 pixels, works its script, and prints it on A4.
"""
import gzip
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]
SESSIONS = pathlib.Path("assets/sessions")
A4_POINTS = (595, 842)
# The least number of words on a page: fewer are a page that nobody would want.
LEAST_WORDS = 12
# The least height of words in a figure, on a screen.
LEAST_TEXT_PX = 11

# Runs in the page, and leaves what it found in an element of its own.
PROBE = """
<script>
(function(){
const found={width:innerWidth,scrollWidth:document.documentElement.scrollWidth,cut:[],overlaps:[],
  figures:0,lowest:100};
const inside=(a,b)=>a.left>=b.left-1&&a.right<=b.right+1&&a.top>=b.top-1&&a.bottom<=b.bottom+1;
const name=each=>(each.textContent||each.tagName).slice(0,60);
document.querySelectorAll("details").forEach(each=>each.open=true);
document.querySelectorAll("figure svg").forEach(svg=>{
  const frame=svg.getBoundingClientRect();
  if(!frame.width)return;
  found.figures++;
  const boxes=[];
  svg.querySelectorAll("text").forEach(text=>{
    const box=text.getBoundingClientRect();
    found.lowest=Math.min(found.lowest,box.height);
    if(!inside(box,frame))found.cut.push(name(text)+" in "+svg.getAttribute("aria-label"));
    for(const [other,at] of boxes)
      if(box.left<at.right-2&&at.left<box.right-2&&box.top<at.bottom-4&&at.top<box.bottom-4)
        found.overlaps.push(name(text)+" / "+name(other)+" in "+svg.getAttribute("aria-label"));
    boxes.push([text,box]);
  });
  svg.querySelectorAll("rect,circle,polygon,polyline,line").forEach(mark=>{
    if(!inside(mark.getBoundingClientRect(),frame))
      found.cut.push(mark.tagName+" "+mark.getAttribute("class")+" in "+svg.getAttribute("aria-label"));
  });
});
document.querySelectorAll("h1,h2,h3,p,li,summary,figcaption,figure,.scroll").forEach(each=>{
  const box=each.getBoundingClientRect();
  if(box.width&&(box.right>innerWidth+1||box.left<-1))found.cut.push("beyond the page: "+name(each));
});
document.querySelectorAll("th,td").forEach(cell=>{
  if(cell.scrollWidth>cell.clientWidth+1)found.cut.push("beyond its cell: "+name(cell));
});
// The first table with numbers: by its last column of numbers, up and down.
found.sorted=[];
document.querySelectorAll("section table").forEach(table=>{
  const heads=[...table.tHead.rows[0].cells],column=heads.findIndex(each=>each.textContent==="warm");
  if(column<0||found.sorted.length||table.tBodies[0].rows.length<3)return;
  const values=()=>[...table.tBodies[0].rows].map(row=>row.cells[column].textContent);
  for(let i=0;i<2;i++){heads[column].click();found.sorted.push([heads[column].ariaSort,values()])}
});
const mark=[...document.querySelectorAll("figure svg [data-says]")]
  .find(each=>each.getBoundingClientRect().width);
if(mark){
  const box=mark.getBoundingClientRect();
  mark.dispatchEvent(new PointerEvent("pointermove",{bubbles:true,clientX:box.left+1,clientY:box.top+1}));
  const tip=document.getElementById("tip"),at=tip.getBoundingClientRect();
  found.tip=[mark.dataset.says,tip.hidden?"":tip.textContent,at.left>=0&&at.right<=innerWidth];
}
parent.postMessage(JSON.stringify(found),"*");
})();
</script>
"""
OUTER = """<!doctype html><meta charset="utf-8"><body style="margin:0"><pre id="probe"></pre><script>
addEventListener("message",event=>document.getElementById("probe").textContent=event.data);
</script><iframe src="{name}" style="border:0;width:{width}px;height:900px"></iframe></body>"""

failures = []


def expect(holds, words):
    if not holds:
        failures.append(words)


def run(command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=120,
                          stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


class Browser:
    def __init__(self, program, folder):
        self.command = [program, "--headless", "--no-sandbox", "--disable-gpu",
                        "--disable-dev-shm-usage", f"--user-data-dir={folder}/profile"]

    def measured(self, page, width):
        """What PROBE finds in the page at that width."""
        probed = page.with_name(f"{page.stem}-{width}.html")
        probed.write_text(page.read_text().replace("</html>", PROBE + "</html>"))
        # A window of the browser has a least width of its own; a frame has none.
        outer = page.with_name(f"{page.stem}-{width}-outer.html")
        outer.write_text(OUTER.format(name=probed.name, width=width))
        dom = run([*self.command, "--virtual-time-budget=5000", f"--window-size={max(width, 800)},900",
                   "--dump-dom", outer.as_uri()])
        answer = re.search(r'<pre id="probe">(.+?)</pre>', dom, re.S)
        if not answer:
            sys.exit(f"the browser said nothing of {page}")
        return json.loads(html.unescape(answer[1]))

    def pages(self, page):
        """The text of each printed page, without what the browser prints around it, and their size."""
        pdf = page.with_suffix(".pdf")
        run([*self.command, "--no-pdf-header-footer", f"--print-to-pdf={pdf}", page.as_uri()])
        size = re.search(r"Page size:\s*([\d.]+) x ([\d.]+)", run(["pdfinfo", pdf]))
        text = run(["pdftotext", "-layout", pdf, "-"])
        return text.split("\f")[:-1], tuple(round(float(each)) for each in size.groups())


def words_of(markup):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def headings_of(text):
    """Headings that are printed: not those of folded tables."""
    return [words_of(each) for each in
            re.findall(r"<h[23](?: class=\"part\")?>(.*?)</h[23]>", text)]


def squeezed(text):
    return re.sub(r"\s+", "", text)


def check_paper(name, browser, page):
    pages, size = browser.pages(page)
    expect(size == A4_POINTS, f"{name}: the paper has {size} points, not those of A4")
    text = page.read_text()
    headings = headings_of(text)
    expect(len(headings) >= 3, f"{name}: only {len(headings)} headings")
    whole = squeezed("".join(pages))
    for heading in headings:
        expect(squeezed(heading) in whole, f"{name}: the heading “{heading}” is not on paper")
    ends = {squeezed(each) for each in headings}
    for number, printed in enumerate(pages, 1):
        words = printed.split()
        drawn = len(words) >= LEAST_WORDS
        expect(drawn, f"{name}: page {number} of {len(pages)} has {len(words)} words: {words}")
        # The last lines of the table of contents have the words of headings that follow later.
        lines = [squeezed(each) for each in printed.splitlines() if each.strip()]
        rest = squeezed("".join(pages[number:]))
        for heading in {"".join(lines[-count:]) for count in (1, 2, 3)} & ends:
            expect(heading in rest, f"{name}: page {number} ends with the heading {heading}")
        parts = {squeezed(words_of(each)) for each in re.findall(r"<h2[^>]*>(.*?)</h2>", text)}
        for line, following in zip(lines, lines[1:]):
            expect(line not in parts or following not in parts,
                   f"{name}: page {number} has nothing between {line} and {following}")
    conclusions = re.search(r"<ul class=\"conclusions\">(.*?)</ul>", text)
    if conclusions:
        for sentence in re.findall(r"<li>(.*?)</li>", conclusions[1]):
            expect(squeezed(words_of(sentence)) in squeezed(pages[0] + "".join(pages[1:2])),
                   f"{name}: not on the first pages: {words_of(sentence)}")
    return len(pages)


def check_screen(name, browser, page, width):
    found = browser.measured(page, width)
    where = f"{name} at {width} px"
    expect(found["width"] == width, f"{where}: the page is {found['width']} px wide")
    expect(found["scrollWidth"] <= width, f"{where}: it scrolls sideways, to {found['scrollWidth']} px")
    for kind in ("cut", "overlaps"):
        expect(not found[kind], f"{where}: {kind}: {found[kind][:5]}")
    drawn = len(re.findall(r'<figure class="drawn"', page.read_text()))
    expect(found["figures"] == drawn, f"{where}: {found['figures']} of {drawn} figures are seen")
    if drawn:
        expect(found["lowest"] >= LEAST_TEXT_PX, f"{where}: words of {found['lowest']} px are too small")
        says, shown, whole = found["tip"]
        expect(shown == says and says, f"{where}: below the pointer is “{shown}”, not “{says}”")
        expect(whole, f"{where}: what is below the pointer is cut off")
    return found


def ns_of(text):
    found = re.match(r"([\d.]+)\s*(ns|µs|ms|s)$", text)
    return float(found[1]) * {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}[found[2]] if found else None


def check_sorted(name, found):
    expect(len(found["sorted"]) == 2, f"{name}: no table could be sorted")
    for order, cells in found["sorted"]:
        times = [ns_of(each) for each in cells]
        known = [each for each in times if each is not None]
        expect(known == sorted(known, reverse=order == "descending"), f"{name}: {order}: {cells}")
        expect(all(each is not None for each in times[:len(known)]), f"{name}: dashes first: {cells}")


def second_device(folder, session):
    """The session as another card measured it."""
    other = folder / "other.wsj"
    text = gzip.open(session, "rt").read()
    uuid = re.search(r'"device_uuid":"(GPU-[^"]+)"', text)[1]
    other.write_text(text.replace(uuid, "GPU-00000000-1111-2222-3333-444444444444"))
    return other


def reports_of(warpscope, folder):
    """Folders of reports, by name."""
    emulated = folder / "emulated.wsj"
    for variant in ("transpose_naive", "transpose_tiled"):
        run([warpscope, "trace", f"patterns/{variant}", "op=transpose", "rows=64", "columns=64",
             "--session", emulated])
    small = SESSIONS / "h200-eight_iterations.wsj.gz"
    wanted = {"csrmm": [SESSIONS / "h200-csrmm.wsj.gz"],
              "two devices": [small, second_device(folder, small)],
              "emulated": [emulated]}
    for name, sessions in wanted.items():
        run([warpscope, "report", *sessions, "--out", folder / name.replace(" ", "_")])
    return {name: folder / name.replace(" ", "_") / "report.html" for name in wanted}


def main():
    warpscope, root = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None or shutil.which("pdftotext") is None:
        print("no browser or no pdftotext is installed: apt-get install chromium poppler-utils")
        sys.exit(77)
    os.chdir(root)
    with tempfile.TemporaryDirectory() as folder:
        browser = Browser(program, folder)
        for name, page in reports_of(warpscope, pathlib.Path(folder)).items():
            for width in (1280, 390):
                found = check_screen(name, browser, page, width)
                if name == "csrmm":
                    check_sorted(name, found)
            print(f"{name}: {check_paper(name, browser, page)} pages of paper")
            said = "No GPU took part" in page.read_text()
            expect(said == (name == "emulated"), f"{name}: says that no GPU took part: {said}")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Pages of `cosweep explore` in a browser: check_explore.py COSWEEP SOURCE OUTPUT

Six results, in all views: the page draws without an error, what the pointer and the keyboard read are the numbers of the
file to the last digit, what is chosen is in the address and comes back from it, a click pins a run with all its metrics
and the command that traces it, figures taken along are well-formed, nothing is wider than a telephone, and no text of a
result becomes markup. Exits 77 where chromium, chromium-driver, selenium or h5py are missing, or d3."""

import csv
import io
import json
import math
import re
import shlex
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml
from pathlib import Path

from checking import expect, finish

try:
    import h5py
    import numpy as np
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    print(f"skipped: {missing}", file=sys.stderr)
    sys.exit(77)

program, source, output = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
CHROME, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if CHROME is None or DRIVER is None:
    print("skipped: chromium or chromium-driver is not installed", file=sys.stderr)
    sys.exit(77)
shutil.rmtree(output, ignore_errors=True)
output.mkdir(parents=True)

# A sweep, changes that make it small, and its views beside runs and table.
SWEEPS = {
    "glumac_fixed_step_stated": ([], ["curves", "map"]),
    "stability_two_mass": ([], ["map", "curves"]),
    "compare_masters": ([], ["cost", "curves", "map"]),
    "kyllingstad_controllers": ([], ["cost", "map", "curves"]),
    "two_mass_sample": ([], ["curves", "cost"]),
    "hammer": ([], ["curves"]),
}
NASTY = "</script><script>window.bad=1</script><img src=x onerror='window.bad=1'>\u202e\x07 \"quoted\" & $(id)"


def call(*arguments, status=0):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    expect(done.returncode == status, f"{arguments}: exit status {done.returncode}, not {status}: {done.stderr}")
    return done


def browser(width, dark=False):
    options = Options()
    options.binary_location = CHROME
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     f"--window-size={width},900"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(service=Service(DRIVER), options=options)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                           {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
    if dark:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia",
                               {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    return driver


class Page:
    """A page that is open; `what` names it in messages."""

    def __init__(self, driver, path, view=None):
        self.driver, self.what = driver, f"{path.name} {view or ''}"
        driver.get("about:blank")
        driver.get(path.resolve().as_uri() + (f"#{view}" if view else ""))
        self.settle("0")

    def run(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def drawn(self):
        return self.run("return document.body.dataset.drawn || '0'")

    def settle(self, before):
        """Waits for the drawing after the one of that number."""
        end = time.monotonic() + 20
        while self.drawn() == before and time.monotonic() < end:
            if not self.run("return document.getElementById('failure').hidden"):
                break
            time.sleep(0.01)
        failure = self.run("return document.getElementById('failure').textContent")
        expect(failure == "" and self.drawn() != before, f"{self.what}: not drawn: {failure}")

    def change(self, code, *arguments):
        before = self.drawn()
        self.run(code, *arguments)
        self.settle(before)

    def sound(self):
        """Nothing that the console complains of, nothing wider than the window."""
        for entry in self.driver.get_log("browser"):
            if "willReadFrequently" not in entry["message"]:  # the check's own reading of pixels
                expect(False, f"{self.what}: the console says {entry['message']}")
        wide = self.run("return document.documentElement.scrollWidth - document.documentElement.clientWidth")
        expect(wide <= 0, f"{self.what}: wider than the window by {wide}")


# Code of the page's side: points as they are read, each with the place of the pointer.
POINTS = """
const scene = page.scene, found = [], box = document.getElementById("drawing").getBoundingClientRect();
for (const panel of scene.panels) {
  if (panel.map) {
    const n = panel.map.runs.length;
    for (let k = 0; k < 5; k++) {
      const at = Math.floor((k + 0.5) * n / 5), i = at % panel.map.xs.length, j = Math.floor(at / panel.map.xs.length);
      found.push([panel.x.scale(panel.map.xs[i]), panel.y.scale(panel.map.ys[j]), box.width, box.height]);
    }
  }
  for (const line of panel.lines || [])
    if (line.runs && found.length < 24)
      for (const i of [0, Math.floor(line.px.length / 2), line.px.length - 1])
        if (line.px[i] === line.px[i] && line.py[i] === line.py[i]) found.push([line.px[i], line.py[i], box.width, box.height]);
}
return found;
"""
READ = """const e = document.getElementById("value"); return e ? [Number(e.dataset.run), e.textContent, page.state.metric,
  page.shown.scene.panels[0].signal, page.state.view] : null;"""


def runs_of(file):
    return [d for d in (file["status"].dims[i][0].name.split("/")[-1] for i in range(file["status"].ndim))]


def expected(file, run, metric, signal):
    """What the file has of a run: one number, or those of all signals."""
    values = file[metric][...].reshape(file["status"].size, -1)[run]
    return [float(v) for v in (values if signal is None else values[[min(signal, len(values) - 1)]])]


def check_reading(page, file):
    """The pointer reads numbers of the file."""
    points = page.run(POINTS)
    drawing = page.driver.find_element(By.ID, "drawing")
    page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
    read = 0
    for x, y, width, height in points[:10]:
        ActionChains(page.driver, duration=0).move_to_element_with_offset(drawing, x - width / 2, y - height / 2).perform()
        found = page.run(READ)
        if found is None:
            continue
        run, text, metric, signal, view = found
        if run < 0 or text == "no value":
            continue
        read += 1
        values = expected(file, run, metric, signal)
        want = max(values, key=abs) if view == "cost" and signal is None else values[0]
        expect(float(text) in (want, abs(want)), f"{page.what}: {metric} of run {run} reads {text}, the file has {want!r}")
    expect(read > 0, f"{page.what}: nothing could be read at {points[:3]}")


def check_pin(page, file, path):
    """A click pins a run: all its metrics, its status, its command, which computes the same."""
    page.run("pinRun(arguments[0])", 1)
    end = time.monotonic() + 30
    while not page.run("return document.querySelectorAll('#pin tr').length") and time.monotonic() < end:
        time.sleep(0.02)
    rows = page.run("return [...document.querySelectorAll('#pin tr')].map(r => [r.dataset.metric, r.dataset.signal, r.cells[1].textContent])")
    expect(len(rows) > 1, f"{page.what}: a pinned run has {rows}")
    for metric, signal, text in rows:
        values = expected(file, 1, metric, None)
        word = text.split(" ")[0]
        if word.replace(".", "").replace("-", "").replace("e", "").replace("+", "").isdigit():
            expect(any(float(word) == v for v in values), f"{page.what}: {metric} {signal} of run 1 is {text}, not of {values}")
    status = page.run("return document.getElementById('pin-status').textContent")
    expect(status.startswith(("ok", "diverged", "skipped")), f"{page.what}: the status of run 1 is {status!r}")
    command = page.run("return document.getElementById('pin-command').textContent")
    expect(command.startswith("cosweep trace ") and command.endswith(" --run 1") and " -o " not in command,
           f"{page.what}: the command is {command!r}")
    page.run("unpin()")


def check_view(page, file, view):
    page.sound()
    if view in ("curves", "map", "cost"):
        check_reading(page, file)
        try:
            xml.fromstring(page.run("return page.sceneAsSvg(page.scene)"))
        except xml.ParseError as wrong:
            expect(False, f"{page.what}: the figure taken along is no XML: {wrong}")
        command = page.run("return page.plotCommand(currentResult())")
        expect(command.startswith("cosweep plot "), f"{page.what}: {command}")
    rows = list(csv.reader(io.StringIO(page.run("return page.viewAsCsv(page.scene, currentResult())"))))
    expect(len(rows) > 1 and len({len(row) for row in rows}) == 1, f"{page.what}: CSV of rows {[len(r) for r in rows][:5]}")


def check_choices(page, thorough):
    """Every choice can be made, and the address brings it back. `thorough`: the first and the last of every list."""
    count = page.run("return document.querySelectorAll('#choices select[name], #choices input[type=checkbox]').length")
    for i in range(count):
        for option in (-1, 0) if thorough else (-1,):
            page.change("""const e = document.querySelectorAll('#choices select[name], #choices input[type=checkbox]')[arguments[0]];
              if (!e) return set({});
              if (e.type === "checkbox") e.checked = !e.checked; else e.selectedIndex = arguments[1] < 0 ? e.options.length - 1 : 0;
              e.dispatchEvent(new Event("change"));""", i, option)
    for way in ("all", "best", "median", "at"):
        page.change("""const e = document.querySelector('#choices .slider select');
          if (!e || ![...e.options].some(o => o.value === arguments[0])) return set({});
          e.value = arguments[0]; e.dispatchEvent(new Event("change"));""", way)
    page.change("""const e = document.querySelector('#choices .slider input');
      if (!e) return set({});
      e.value = e.max; e.dispatchEvent(new Event("input"));""")
    page.sound()
    address, chosen = page.run("return [location.hash, JSON.stringify(page.state)]")
    page.change("takeState(files[0], {}); update();")
    page.change("history.replaceState(null, '', arguments[0]); takeState(files[0], readAddress()); update();", address)
    again = page.run("return JSON.stringify(page.state)")
    again, chosen = [{key: value for key, value in json.loads(text).items() if value != ""} for text in (again, chosen)]
    expect(again == chosen, f"{page.what}: the address {address} gives {again}, not {chosen}")


def check_keyboard(page, file):
    """The keyboard alone: from point to point, Enter pins, Escape unpins."""
    page.run("document.getElementById('drawing').focus()")
    ActionChains(page.driver).send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT).perform()
    run, text, metric, signal, _ = page.run(READ)
    expect(abs(expected(file, run, metric, signal)[0]) == abs(float(text)), f"{page.what}: the keyboard reads {text} of run {run}")
    ActionChains(page.driver).send_keys(Keys.ENTER).perform()
    expect(page.run("return page.state.pin") == str(run), f"{page.what}: Enter does not pin run {run}")
    ActionChains(page.driver).send_keys(Keys.ESCAPE).perform()
    expect(page.run("return document.getElementById('pin').hidden"), f"{page.what}: Escape does not unpin")


def check_zoom(page):
    """The wheel zooms about the pointer, which reads the same point; a double click resets."""
    points = page.run(POINTS)
    drawing = page.driver.find_element(By.ID, "drawing")
    page.run("arguments[0].scrollIntoView({block: 'center'})", drawing)
    x, y, width, height = points[len(points) // 2]
    mouse = ActionChains(page.driver, duration=0).move_to_element_with_offset(drawing, x - width / 2, y - height / 2)
    mouse.perform()
    before = page.run(READ)
    page.run("""const ear = document.querySelector("#drawing rect.ear"), box = document.getElementById("drawing").getBoundingClientRect();
      ear.dispatchEvent(new WheelEvent("wheel", {deltaY: -300, clientX: box.left + arguments[0], clientY: box.top + arguments[1], bubbles: true, cancelable: true, view: window}));""", x, y)
    time.sleep(0.4)
    expect(page.run("return Number(String(page.state.zoom).split(',')[0]) > 1"), f"{page.what}: the wheel does not zoom")
    ActionChains(page.driver, duration=0).move_by_offset(1, 0).move_by_offset(-1, 0).perform()
    expect(page.run(READ) == before, f"{page.what}: zoomed, the same point reads {page.run(READ)}, not {before}")
    page.change("document.querySelector('#drawing rect.ear').dispatchEvent(new MouseEvent('dblclick', {bubbles: true, view: window}))")
    expect(not page.run("return page.state.zoom"), f"{page.what}: a double click does not reset the zoom")


def check_crossing(page, file):
    """Where the file says that stability changes, the map has its mark."""
    crossings = page.run("""const p = page.scene.panels[0], l = p.lines.find(l => l.dot === 2.5);
      return l ? [l.xs.slice(0, 5), l.ys.slice(0, 5), [...l.px].slice(0, 5), [...l.py].slice(0, 5)] : null""")
    expect(crossings is not None, f"{page.what}: no crossings are drawn")
    values = file["H_crossings"][...]
    for x, y, px, py in zip(*crossings or [[]] * 4):
        expect(y in values, f"{page.what}: a mark at {y} is no crossing of the file")
        dark = page.run("""const c = document.querySelector("#drawing canvas"), d = c.getContext("2d").getImageData(Math.round(arguments[0]), Math.round(arguments[1]), 1, 1).data;
          return d[0] + d[1] + d[2];""", px, py)
        expect(dark < 330, f"{page.what}: no mark is drawn at {px}, {py}: {dark}")


def check_nasty(driver, result):
    """No name or description becomes markup."""
    nasty = output / "nasty.h5"
    shutil.copy(result, nasty)
    with h5py.File(nasty, "r+") as file:
        file.attrs["title"] = NASTY
        for item in file.values():
            if isinstance(item, h5py.Dataset) and "long_name" in item.attrs:
                item.attrs["long_name"] = NASTY
            if isinstance(item, h5py.Dataset) and "units" in item.attrs and item.name != "/status":
                item.attrs["units"] = NASTY
        labels = file["output"]
        if labels.dtype.kind == "O":
            labels[...] = [NASTY + str(i) for i in range(len(labels))]
    call("explore", nasty, "-o", output / "nasty.html")
    text = (output / "nasty.html").read_text()
    expect("window.bad=1</script>" not in text, "nasty.html: a text ends its element")
    for view in ("curves", "table", "runs"):
        page = Page(driver, output / "nasty.html", f"view={view}")
        expect(page.run("return window.bad === undefined"), f"{page.what}: a text of the result ran")
        expect("quoted" in page.run("return document.body.innerText"), f"{page.what}: the text is not shown")
        expect(page.run("return document.querySelectorAll('img').length") == 0, f"{page.what}: a text became an element")
        for bad in "\u202e\x07":
            expect(bad not in page.run("return document.body.innerText"), f"{page.what}: shows {bad!r}")
        page.sound()


def titles_of(command, name):
    """What the figure of a command names, in its order, without the grey rest."""
    call(*shlex.split(command)[1:3], *shlex.split(command)[3:], "--script", "--force", "-o", output / f"{name}.svg")
    lines = (output / f"{name}.dat").read_text().splitlines()
    titles = [line.split(": ", 1)[1] for line in lines if line.startswith("# panel 1: ")]
    return [title for title in titles if not re.fullmatch("[0-9]+ others?", title)]


def check_same_methods(driver, path):
    """The page and `plot` have the same methods in colour, in the same order, under the same names; also where a slider
    or the signal is moved."""
    for view in ("view=cost", "view=cost&at.RC=7&signal=cell2.v_left", "view=cost&panel=signal", "view=cost&panel=RC",
                 "view=cost&at.hold=1&metric=state_error"):
        page = Page(driver, path.with_suffix(".html"), view)
        legend = page.run("return page.scene.legend.map(e => e.name)")
        command = page.run("return page.plotCommand(currentResult())").replace(path.name, str(path))
        if command.endswith("--panel output"):  # at most 12 panels
            command += " --where RC=0.05"
        expect(len(legend) == 8, f"{page.what}: the legend is {legend}")
        found = titles_of(command, "same")
        expect(found == legend, f"{page.what}: {command} names {found}, the page {legend}")
        if view == "view=cost":
            found = titles_of(f"cosweep plot {path} --kind cost", "same")
            expect(found == legend, f"{page.what}: plot without options names {found}, the page {legend}")


def check_sample(driver, path):
    """The problems of a sample are all points of a figure of costs, and each setting of it an axis of its own of all
    runs."""
    page = Page(driver, path, "view=cost")
    points = page.run("return page.scene.panels[0].lines.map(l => [l.joined, l.xs.length])")
    expect(points == [[False, 200], [False, 200]], f"{page.what}: lines of {points}")
    said = call("plot", path.with_suffix(".h5"), "--kind", "cost", "--slopes", "-o", output / "sample.svg", status=2).stderr
    expect("--slopes: a panel has runs of many problems" in said, f"plot --slopes of a sample says {said}")
    page = Page(driver, path, "view=runs")
    columns = page.run("return page.scene.parallel.columns.map(c => c.name)")
    expect(columns[:4] == ["master", "sample_size", "sample_ck", "sample_dk"], f"{page.what}: columns {columns}")


def check_two(driver, path):
    """Two results on a page: A, B, and their ratio."""
    other = output / "other.h5"
    call("run", source / "sweeps" / "glumac_fixed_step_stated.json", "--set", "t_end=2", "-o", other, "--quiet", "--device", "host")
    call("explore", path, other, "-o", output / "two.html")
    with h5py.File(path) as a, h5py.File(other) as b:
        for which, want in (("A", lambda r: a["output_error"][...].reshape(96, -1)[r, 0]), ("B", lambda r: b["output_error"][...].reshape(96, -1)[r, 0]),
                            ("ratio", lambda r: b["output_error"][...].reshape(96, -1)[r, 0] / a["output_error"][...].reshape(96, -1)[r, 0])):
            page = Page(driver, output / "two.html", f"view=curves&file={which}")
            for line in page.run("return page.scene.panels[0].lines.map(l => [l.runs, [...l.ys]])"):
                for run, value in zip(*line):
                    expect(value == abs(want(run)), f"{page.what}: run {run} is {value}, not {want(run)}")
            page.sound()
    failed = call("explore", path, output / "stability_two_mass.h5", "-o", output / "none.html", status=5)
    expect("cannot be compared: 3 and 4 axes" in failed.stderr, f"results over other axes: {failed.stderr}")
    expect(not (output / "none.html").exists(), "a page is written after an error")


def check_traces(driver, path):
    """Time histories of runs on the page are those of `trace`."""
    call("explore", path, "-o", output / "traced.html", "--trace", "best,17")
    call("trace", source / "sweeps" / "glumac_fixed_step_stated.json", "--run", "17", "-o", output / "trace.h5", "--quiet", "--device", "host")
    page = Page(driver, output / "traced.html")
    page.run("pinRun(17)")
    end = time.monotonic() + 20
    while page.run("return document.querySelectorAll('#pin svg').length") == 0 and time.monotonic() < end:
        time.sleep(0.02)
    with h5py.File(output / "trace.h5") as file:
        want = file["y"][...].ravel()
        found = page.run("return [...files[0].traces.find(t => t.run === 17).find('y').numbers]")
        expect(np.array_equal(np.array(found), want), f"{page.what}: the history of run 17 has other numbers")
    expect(page.run("return document.querySelectorAll('#pin svg').length") == file_signals(path), f"{page.what}: histories")
    page.sound()
    for word in ("bets", "96", "", "1,,2"):
        failed = call("explore", path, "-o", output / "none.html", "--trace", word, status=2)
        expect("want a run, 0 to 95, best or worst" in failed.stderr, f"--trace {word!r}: {failed.stderr}")


def file_signals(path):
    with h5py.File(path) as file:
        return len(file["output"])


def check_errors(path):
    failed = call("explore", path, "--metric", "output_eror", "-o", output / "none.html", status=2)
    expect("output_error" in failed.stderr, f"--metric: {failed.stderr}")
    failed = call("explore", path, "--where", "H=7", "-o", output / "none.html", status=2)
    expect("cosweep explore" in failed.stderr, f"--where: {failed.stderr}")
    failed = call("explore", path, path, path, "-o", output / "none.html", status=2)
    expect("3 files; want one, or two to compare" in failed.stderr, f"three files: {failed.stderr}")
    failed = call("explore", path, "-o", path, status=2)
    expect("would overwrite" in failed.stderr, f"-o: {failed.stderr}")


def check_part(driver, path):
    """A part of the runs keeps their numbers."""
    call("explore", path, "--where", "order=2", "--where", "H=0.01", "--where", "H=0.1", "--metric", "output_error", "-o", output / "part.html")
    page = Page(driver, output / "part.html")
    with h5py.File(path) as file:
        errors = file["output_error"][...].reshape(96, -1)[:, 0]
        for line in page.run("return page.scene.panels[0].lines.map(l => [l.runs.map(r => files[0].number(files[0].position(r))), [...l.ys]])"):
            for run, value in zip(*line):
                expect(abs(errors[run]) == value, f"{page.what}: run {run} is {value}, not {errors[run]}")
    page.sound()


def main():
    if "built without d3" in subprocess.run([program, "explore", "none.h5", "-o", str(output / "none.html")], capture_output=True, text=True).stderr:
        print("skipped: the program was built without d3", file=sys.stderr)
        sys.exit(77)
    for script in sorted((source / "host" / "explore" / "page").glob("*.js")):
        done = subprocess.run(["node", "--check", script], capture_output=True, text=True) if shutil.which("node") else None
        expect(done is None or done.returncode == 0, f"{script.name}: {done and done.stderr}")
    driver = browser(1200)
    for name, (changes, views) in SWEEPS.items():
        result, html = output / f"{name}.h5", output / f"{name}.html"
        call("run", source / "sweeps" / f"{name}.json", *changes, "-o", result, "--quiet", "--device", "host")
        call("explore", result, "-o", html)
        with h5py.File(result) as file:
            for view in [*views, "runs", "table"]:
                page = Page(driver, html, f"view={view}")
                expect(page.run("return page.state.view") == view, f"{page.what}: shows the view {page.run('return page.state.view')}")
                check_view(page, file, view)
                if view != "table":
                    check_choices(page, name.startswith("glumac"))
            page = Page(driver, html)
            expect(page.run("return page.state.view") == views[0], f"{page.what}: begins with {page.run('return page.state.view')}")
            check_pin(page, file, result)
            if views[0] == "curves" and name.startswith("glumac"):
                check_keyboard(page, file)
            if name not in ("hammer", "compare_masters"):  # whose points lie on each other
                check_zoom(Page(driver, html))
            if name == "stability_two_mass":
                check_crossing(Page(driver, html, "view=map"), file)
    first = output / "glumac_fixed_step_stated.h5"
    check_same_methods(driver, output / "compare_masters.h5")
    check_sample(driver, output / "two_mass_sample.html")
    check_nasty(driver, first)
    check_two(driver, first)
    check_traces(driver, first)
    check_errors(first)
    check_part(driver, first)
    driver.quit()
    for width, dark in ((400, False), (2000, True)):
        driver = browser(width, dark)
        for name, (_, views) in SWEEPS.items():
            for view in [*views, "table"]:
                Page(driver, output / f"{name}.html", f"view={view}").sound()
        driver.quit()
    finish()


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reports and a site for those who hear them, use keys alone, or print them: what the browser's accessibility tree says, where the tab key goes,
contrasts in light and dark, and what is on paper.

usage: test_page_access.py OPBENCH [FOLDER for the printed pages]
"""

import base64
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import browser
from test_report_page import HOSTILE, check, history, records

# Text that is too faint, as WCAG 2.1 counts it (4.5, large text 3), against what is painted behind it.
FAINT_TEXTS = """
const channel = c => { c /= 255; return c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4); };
const light = c => 0.2126 * channel(c[0]) + 0.7152 * channel(c[1]) + 0.0722 * channel(c[2]);
const parse = text => (text.match(/[0-9.]+/g) || [0, 0, 0, 0]).map(Number);
const found = [];
for (const element of document.querySelectorAll("body *")) {
  if (![...element.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !element.checkVisibility()) continue;
  const style = getComputedStyle(element), inside = element.namespaceURI.endsWith("svg");
  if (element.classList.contains("key")) continue; // a mark, not a text
  if (inside && (element.tagName !== "text" || element.classList.contains("inside"))) continue; // those stand on a bar
  let behind = [255, 255, 255], opacity = 1;
  for (let at = element; at; at = at.parentElement) opacity *= parseFloat(getComputedStyle(at).opacity);
  for (let at = element; at; at = at.parentElement) {
    const c = parse(getComputedStyle(at).backgroundColor);
    if (c.length < 4 || c[3] > 0.9) { behind = c; break; }
  }
  const own = parse(inside ? style.fill : style.color);
  const ink = own.slice(0, 3).map((c, i) => c * opacity + behind[i] * (1 - opacity));
  const [a, b] = [light(ink), light(behind)].sort((x, y) => y - x);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
  if ((a + 0.05) / (b + 0.05) < (large ? 3 : 4.5))
    found.push(`${element.tagName}.${element.className.baseVal || element.className} ${((a + 0.05) / (b + 0.05)).toFixed(2)}: ${element.textContent.slice(0, 40)}`);
}
return found;
"""


def tree(page):
    """Roles and names as a screen reader is told them."""
    page.driver.execute_cdp_cmd("Accessibility.enable", {})
    nodes = page.driver.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    for node in nodes:
        if not node.get("ignored"):
            properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
            yield node["role"]["value"], node.get("name", {}).get("value", ""), properties


def hear(page, path, name):
    page.show(1280)
    page.open(path)
    page.script("document.querySelectorAll('details').forEach(details => { details.open = true; })")
    page.script("document.querySelectorAll('article, #results').forEach(e => { e.style.contentVisibility = 'visible'; })")
    nodes = list(tree(page))
    named = {"table", "image", "img", "region", "button", "link", "textbox", "searchbox", "combobox", "checkbox", "navigation", "heading",
             "columnheader", "rowheader"}
    for role, text, _ in nodes:
        check(role not in named or text.strip(), f"{name}: a {role} has no name")
    roles = [role for role, _, _ in nodes]
    check(roles.count("main") == 1 and roles.count("navigation") == 1, f"{name}: landmarks are there once")
    check(roles.count("table") == page.script("return document.querySelectorAll('table').length"), f"{name}: tables are tables")
    check("columnheader" in roles or "table" not in roles, f"{name}: tables have heads")
    levels = [properties["level"] for role, _, properties in nodes if role == "heading"]
    check(levels[0] == 1 and levels.count(1) == 1, f"{name}: one first heading")
    check(all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"{name}: no level of headings is left out: {levels}")
    pictures = page.script("return [...document.querySelectorAll('svg')].filter(svg => !svg.hasAttribute('aria-hidden') && !(svg.getAttribute("
                           "'role') === 'img' && svg.querySelector(':scope > title'))).length")
    check(pictures == 0, f"{name}: {pictures} pictures say nothing")
    scrolled = page.script("return [...document.querySelectorAll('.scroll')].filter(e => e.tabIndex !== 0).length")
    check(scrolled == 0, f"{name}: {scrolled} boxes scroll, but not by keys")
    for dark in (False, True):
        page.show(1280, dark=dark)
        faint = page.script(FAINT_TEXTS)
        check(not faint, f"{name}, {'dark' if dark else 'light'}: too faint: {sorted(set(faint))[:8]}")


def press(page, key, code, text):
    for kind in ("keyDown", "keyUp"):
        page.driver.execute_cdp_cmd("Input.dispatchKeyEvent", {"type": kind, "key": key, "windowsVirtualKeyCode": code,
                                                               **({"text": text} if kind == "keyDown" and text else {})})


def tab(page):
    """To the next element; a browser that has little of the processor moves the focus some time after the key."""
    page.script("window.before = document.activeElement")
    press(page, "Tab", 9, "")
    limit = time.monotonic() + 5
    while page.script("return document.activeElement === window.before") and time.monotonic() < limit:
        time.sleep(0.02)


def enter(page):
    press(page, "Enter", 13, "\r")


def focus(page):
    return page.script("""const e = document.activeElement, style = getComputedStyle(e), box = e.getBoundingClientRect();
        return {tag: e.tagName, id: e.id, text: e.textContent.slice(0, 40), href: e.getAttribute("href"), top: box.top + scrollY,
                seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
                inside: box.bottom > 0 && box.top < innerHeight}""")


def use_keys(page, path):
    page.show(1280)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]})
    page.open(path)
    order = []
    for _ in range(40):
        tab(page)
        order.append(focus(page))
        check(order[-1]["seen"] and order[-1]["inside"], f"the focus is seen: {order[-1]}")
    check(order[0]["href"] == "#results", "the first key leads to the results")
    sections = [at["href"] for at in order[1:] if at["href"]]
    check(sections[:3] == ["#sides", "#step", "#failures"], f"then the sections come: {sections}")
    page.script("document.querySelector('#table thead button').focus()")
    enter(page)
    check(page.script("return document.querySelector('#table thead th').getAttribute('aria-sort')") == "ascending", "the enter key sorts")
    heads = [(name, properties) for role, name, properties in tree(page) if role == "columnheader"]
    check(any(name.startswith("case") for name, _ in heads), "heads are told by their names")
    page.script("document.querySelector('#table .open').focus()")
    enter(page)
    check(page.script("return document.activeElement.getAttribute('aria-expanded') + document.querySelectorAll('tr.drawn svg desc').length")
          == "true2", "the enter key opens a row, whose pictures are described")
    page.script("document.activeElement.blur()")
    press(page, "/", 191, "/")
    check(focus(page)["id"] == "search" and page.script("return document.getElementById('search').value") == "", "a slash leads to the search")


def print_page(page, path, name, folder, expected):
    """A4. Nothing may be cut at the right; what is folded on the screen is opened."""
    page.show(1280, dark=True)
    page.open(path)
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    for width, part in ((703, "body *:not(#results, #results *)"), (1031, "#results, #results *")): # across in landscape
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})
        beyond = page.script("return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility() && !e.closest('caption, svg "
                             "*') && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className).slice(0, 5)", part)
        check(beyond == [], f"{name}: beyond the paper of {width}: {beyond}")
    state = page.script("""const of = (s, f) => [...document.querySelectorAll(s)].map(f);
        return {ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.body).backgroundColor,
                controls: of("nav, .skip, #tools, .repro button", e => e.checkVisibility()).filter(Boolean).length,
                folded: of("details:not(#columns) > :not(summary)", e => e.getBoundingClientRect().height).filter(h => h === 0).length,
                clipped: of(".scroll", e => e.scrollHeight > e.clientHeight + 1 && getComputedStyle(e).overflowY !== "visible").filter(Boolean).length}""")
    check(state["ink"] == "rgb(0, 0, 0)" and state["paper"] == "rgb(255, 255, 255)", f"{name}: black on white: {state}")
    check(state["controls"] == 0 and state["folded"] == 0 and state["clipped"] == 0, f"{name}: all of it is printed: {state}")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    data = base64.b64decode(page.driver.execute_cdp_cmd("Page.printToPDF", {
        "preferCSSPageSize": True, "paperWidth": 8.27, "paperHeight": 11.69})["data"])
    count = len(re.findall(rb"/Type\s*/Page\b", data))
    check(data.startswith(b"%PDF") and count > 0, f"{name}: it can be printed")
    place = pathlib.Path(folder, f"{name}.pdf")
    place.write_bytes(data)
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", place, "-"], check=True, capture_output=True, text=True).stdout
        text = re.sub(r"\s+", "", text)
        for words in expected:
            check(re.sub(r"\s+", "", words) in text, f"{name}: '{words}' is on paper")


def write_lines(path, lines):
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def look(page, program, folder, prints):
    lines, report = pathlib.Path(folder, "records.json"), pathlib.Path(folder, "report.html")
    write_lines(lines, records())
    subprocess.run([program, "report", lines, "-q", "-o", report], check=True)
    hear(page, report, "report")
    use_keys(page, report)
    print_page(page, report, "report", prints, ["mm(f32[39])", "80.34 ms", "opbench run --case 'mm|0|39'", "48 cases on other", HOSTILE[0],
                                                "Disturbed, set aside".lower()])
    files = []
    for number in range(28):
        files.append(pathlib.Path(folder, f"run{number:02d}.json"))
        write_lines(files[-1], history(number))
    database, site = pathlib.Path(folder, "history.db"), pathlib.Path(folder, "site")
    subprocess.run([program, "history", "add", *files, "--db", database], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "report", "--db", database, "-q", "-o", site], check=True)
    for kind, words in (("index", "What changed lately"), ("machines", "Machines"), ("op-mm", "mm(f32[0])"), ("case-mm0", "28 points, 1 step")):
        path = next(site.glob(f"{kind}*.html"))
        hear(page, path, kind)
        print_page(page, path, kind, prints, [words])


def main():
    page = browser.start()
    if page is None:
        return 77
    try:
        with tempfile.TemporaryDirectory() as folder:
            look(page, sys.argv[1], folder, sys.argv[2] if len(sys.argv) > 2 else folder)
    finally:
        page.close()
    print("pages are told, used by keys and printed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

// SPDX-License-Identifier: Apache-2.0
// What a report can do beyond a page without a script: sort, search and filter the rows, choose columns, draw the samples of
// any row from the packed ones, and copy command lines. Texts are only ever set as texts.
"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const table = $("table"), body = table && table.tBodies[0];
  if (!body) return;
  const heads = [...table.tHead.rows[0].cells];
  const rows = [...body.rows].map((element, number) => ({ element, number, cells: [...element.cells] }));
  const columnOf = title => heads.findIndex(head => head.textContent === title);
  const STATUS = columnOf("status"), SIDE = columnOf("backend"), PASS = columnOf("pass"), MEDIAN = columnOf("median");
  const UNITS = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9, "%": 0.01 };

  // "1.2 us" and "61.4 %" as numbers; NaN for what is none.
  function number(text) {
    const parts = /^\s*([-+0-9.eE]+)\s*(ns|us|\u00b5s|ms|s|%)?\s*$/.exec(text);
    return parts ? parseFloat(parts[1]) * (parts[2] ? UNITS[parts[2]] : 1) : NaN;
  }
  function create(name, properties, ...children) {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  }

  // ---- sorting: what has nothing comes last, whichever way ----
  heads.forEach((head, column) => {
    const button = create("button", { type: "button", textContent: head.textContent });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      const numeric = head.classList.contains("n");
      heads.forEach(other => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const keys = new Map(rows.map(row => {
        const text = row.cells[column].textContent;
        return [row, numeric ? number(text) : text];
      }));
      const empty = key => numeric ? Number.isNaN(key) : key === "";
      const order = [...rows].sort((a, b) => {
        const x = keys.get(a), y = keys.get(b);
        if (empty(x) || empty(y)) return empty(x) - empty(y) || a.number - b.number;
        const before = numeric ? x - y : x < y ? -1 : x > y ? 1 : 0;
        return (down ? -before : before) || a.number - b.number;
      });
      body.querySelectorAll("tr.drawn").forEach(drawn => close(drawn));
      body.append(...order.map(row => row.element));
    });
  });

  // ---- searching and filtering ----
  const controls = ["search", "status", "side", "pass", "least"].map($).filter(Boolean);
  function options(id, column) {
    if (!$(id) || column < 0) return;
    const words = new Set(rows.map(row => row.cells[column].textContent.replace("*", "")));
    for (const word of words) $(id).append(create("option", { textContent: word, value: word }));
  }
  options("status", STATUS);
  options("side", SIDE);
  const value = id => ($(id) ? $(id).value : "");
  let texts = null; // made when it is first searched
  function filter() {
    const words = value("search").toLowerCase().split(/\s+/).filter(Boolean);
    const status = value("status"), side = value("side"), pass = value("pass");
    const least = number(value("least"));
    if (words.length && !texts) texts = rows.map(row => row.element.textContent.toLowerCase());
    let shown = 0;
    body.querySelectorAll("tr.drawn").forEach(drawn => close(drawn));
    for (const row of rows) {
      const cell = column => row.cells[column].textContent;
      const fits = (!status || cell(STATUS).replace("*", "") === status) && (!side || cell(SIDE) === side) &&
        (!pass || cell(PASS) === pass) && (Number.isNaN(least) || number(cell(MEDIAN)) >= least) &&
        words.every(word => texts[row.number].includes(word));
      row.element.hidden = !fits;
      shown += fits;
    }
    $("shown").textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows`;
  }
  controls.forEach(control => control.addEventListener("input", filter));
  $("tools").addEventListener("submit", event => event.preventDefault());
  $("columns").addEventListener("change", event =>
    table.classList.toggle("hide" + event.target.value, !event.target.checked));
  document.addEventListener("keydown", event => {
    if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(document.activeElement.tagName)) {
      event.preventDefault();
      $("search").focus();
    }
  });
  $("tools").hidden = false;
  filter();

  // ---- samples ----
  const packed = JSON.parse($("packed").textContent);
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  function samples(number) {
    const [at, warmups, count, every, least, largest, median, low, high] = packed.rows[number];
    const all = warmups + count, list = [];
    for (let group = 0; 3 * group < all; group++) {
      let bits = 0n;
      for (let i = 0; i < 8; i++) bits = bits << 6n | BigInt(LETTERS.indexOf(packed.samples[8 * (at + group) + i]));
      for (let i = 0; i < 3 && 3 * group + i < all; i++) {
        const value = Number(bits >> BigInt(32 - 16 * i) & 0xffffn);
        list.push({ ns: least * Math.pow(largest / least, (value & 0x7fff) / 32767), aside: value > 0x7fff });
      }
    }
    return { warm: list.slice(0, warmups), measured: list.slice(warmups), every, median, low, high };
  }

  // ---- the same pictures as distribution_picture.c draws ----
  function time(ns) {
    const [scale, unit] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "\u00b5s"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
    return parseFloat((ns / scale).toPrecision(4)) + " " + unit;
  }
  function ticks(low, high, room) {
    const rough = (high - low) / room, power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map(s => s * power).find(s => s >= rough * (1 - 1e-9));
    const list = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9 && list.length < room; at += step) list.push(at);
    return list;
  }
  function shape(svg, name, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) element.setAttribute(key, attributes[key]);
    if (text !== undefined) element.textContent = text;
    svg.append(element);
    return element;
  }
  function picture(title, description) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 460 190");
    svg.setAttribute("role", "img");
    shape(svg, "title", {}, title);
    shape(svg, "desc", {}, description);
    return svg;
  }
  function range(sorted) {
    const quantile = q => {
      const place = q * (sorted.length - 1), below = Math.floor(place), above = Math.min(below + 1, sorted.length - 1);
      return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
    };
    const q1 = quantile(0.25), q3 = quantile(0.75);
    let low = sorted[0], high = Math.min(sorted[sorted.length - 1], q3 + 6 * Math.max(q3 - q1, q3 * 0.005));
    if (!(high > low * (1 + 1e-9))) { low *= 0.99; high *= 1.01; }
    return [low, high];
  }
  function describe(data, sorted) {
    return `from ${time(sorted[0])} to ${time(sorted[sorted.length - 1])}, median ${time(data.median)}`;
  }
  function histogram(data, sorted) {
    const svg = picture("Histogram, and the share of samples below each time", describe(data, sorted));
    const [low, high] = range(sorted), x0 = 8, y0 = 18, width = 436, height = 140, bottom = y0 + height;
    const place = ns => x0 + width * (ns - low) / (high - low);
    const count = Math.floor(Math.min(Math.max(3.2 * Math.cbrt(sorted.length), 8), 40)), bins = new Array(count).fill(0);
    const inside = sorted.filter(ns => ns <= high);
    for (const ns of inside) bins[Math.min(Math.floor((ns - low) / (high - low) * count), count - 1)]++;
    const most = Math.max(...bins, 1), step = width / count;
    if (data.low !== null && data.high > data.low) {
      const from = Math.max(place(data.low), x0), to = Math.min(place(data.high), x0 + width);
      if (to > from) shape(svg, "rect", { class: "band c1", x: from, y: y0, width: to - from, height });
    }
    if (data.median >= low && data.median <= high)
      shape(svg, "line", { class: "line c1", x1: place(data.median), x2: place(data.median), y1: y0, y2: bottom });
    shape(svg, "path", { class: "bar soft c0", d: bins.map((n, i) => n === 0 ? "" :
      `M${x0 + i * step + 0.5} ${bottom}V${bottom - height * n / most}H${x0 + (i + 1) * step - 0.5}V${bottom}`).join("") });
    shape(svg, "path", { class: "line c2", d: `M${x0} ${bottom}` + inside.map((ns, i) =>
      `H${place(ns)}V${bottom - height * (i + 1) / sorted.length}`).join("") + `H${x0 + width}` });
    shape(svg, "line", { class: "axis", x1: x0, x2: x0 + width, y1: bottom, y2: bottom });
    for (const at of ticks(low, high, 4)) {
      shape(svg, "line", { class: "axis", x1: place(at), x2: place(at), y1: bottom, y2: bottom + 4 });
      shape(svg, "text", { class: "middle faint", x: place(at), y: bottom + 17 }, time(at));
    }
    if (inside.length < sorted.length)
      shape(svg, "text", { class: "end faint", x: x0 + width, y: y0 - 4 },
        `${sorted.length - inside.length} beyond, up to ${time(sorted[sorted.length - 1])}`);
    return svg;
  }
  function timeOrder(data, sorted) {
    const svg = picture("Samples in time order, the warm-up first", describe(data, sorted));
    let [low, high] = range(sorted);
    const x0 = 74, y0 = 18, width = 376, height = 140, bottom = y0 + height, margin = (high - low) * 0.06;
    low -= margin;
    high += margin;
    const all = [...data.warm, ...data.measured];
    const x = i => x0 + width * (i + 0.5) / all.length;
    const y = ns => y0 + height * (1 - Math.min(Math.max((ns - low) / (high - low), 0), 1));
    if (data.warm.length) {
      shape(svg, "rect", { class: "zone", x: x0, y: y0, width: width * data.warm.length / all.length, height });
      shape(svg, "text", { class: "faint", x: x0, y: bottom + 17 }, "warm-up");
    }
    for (const at of ticks(low, high, 4)) {
      shape(svg, "line", { class: "grid", x1: x0, x2: x0 + width, y1: y(at), y2: y(at) });
      shape(svg, "text", { class: "end faint", x: x0 - 5, y: y(at) + 4 }, time(at));
    }
    shape(svg, "line", { class: "line c1", x1: x0, x2: x0 + width, y1: y(data.median), y2: y(data.median) });
    shape(svg, "line", { class: "axis", x1: x0, x2: x0 + width, y1: bottom, y2: bottom });
    const dots = (wanted, from) => wanted.map((s, i) => s.aside ? "" : `M${x(from + i)} ${y(s.ns)}h0`).join("");
    shape(svg, "path", { class: "dots warm", d: dots(data.warm, 0) });
    shape(svg, "path", { class: "dots c0", d: dots(data.measured, data.warm.length) });
    shape(svg, "path", { class: "crosses", d: data.measured.map((s, i) => {
      const at = [x(data.warm.length + i), y(s.ns)];
      return s.aside ? `M${at[0] - 3.5} ${at[1] - 3.5}l7 7m0 -7l-7 7` : "";
    }).join("") });
    shape(svg, "text", { class: "end faint", x: x0 + width, y: bottom + 17 }, "in time order");
    return svg;
  }

  // ---- opening a row ----
  function close(drawn) {
    const button = drawn.previousElementSibling && drawn.previousElementSibling.querySelector(".open");
    if (button) button.setAttribute("aria-expanded", "false");
    drawn.remove();
  }
  function toggle(row, button) {
    const next = row.element.nextElementSibling;
    if (next && next.classList.contains("drawn")) return close(next);
    const data = samples(row.number), sorted = data.measured.map(s => s.ns).sort((a, b) => a - b);
    const pair = create("figure", { className: "pair" }, histogram(data, sorted), timeOrder(data, sorted));
    const rest = row.cells[0].querySelector(".rest");
    const name = rest ? rest.lastChild.textContent : button.textContent; // cells are narrow
    const cell = create("td", { colSpan: heads.length }, create("p", { className: "call", textContent: name }), pair);
    if (data.every > 1) cell.append(create("p", { className: "faint", textContent: `One of ${data.every} samples is drawn.` }));
    row.element.after(create("tr", { className: "drawn" }, cell));
    button.setAttribute("aria-expanded", "true");
  }
  for (const row of rows) {
    if (!packed.rows[row.number] || packed.rows[row.number][2] === 0) continue;
    const cell = row.cells[0], rest = cell.querySelector(".rest");
    if (rest) rest.remove();
    const button = create("button", { type: "button", className: "open", textContent: cell.textContent });
    button.setAttribute("aria-expanded", "false");
    cell.replaceChildren(button, ...(rest ? [rest] : []));
  }
  body.addEventListener("click", event => {
    const button = event.target.closest(".open");
    if (button) toggle(rows.find(row => row.element === button.closest("tr")), button);
  });

  // ---- copying command lines ----
  for (const line of document.querySelectorAll(".repro")) {
    const code = line.querySelector("code"), button = create("button", { type: "button", textContent: "Copy" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch (_) { // not allowed here: the reader copies what is selected
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 1500);
    });
    line.append(button);
  }
})();

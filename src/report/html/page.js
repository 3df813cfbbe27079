/*
 * The findings come as JSON (format_html.c writes it, tables.h says what the lists are). The
 * list is drawn at once, a finding when it is opened. Text is only ever set as textContent.
 */
"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const text = i => i < 0 ? "" : data.strings[i];
const byId = id => document.getElementById(id);

/* el("p", "class", child, ...): children are nodes, strings, or lists of them; false is left out. */
function el(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.flat(Infinity).filter(c => c !== false && c !== null && c !== undefined && c !== ""));
  return node;
}
function attr(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}
const plural = (n, one, many) => `${n} ${n === 1 ? one : many}`;

/* ---- what there is ------------------------------------------------------------------------ */

const groups = [
  ["harmful", "harmful", "confirmed, and one order ended badly"],
  ["confirmed", "confirmed", "both threads stood before their accesses at once"],
  ["caught", "caught", "touched while watched"],
  ["suspected", "suspected", "no common lock, no order seen"],
  ["claimed", "claimed", "no common lock in the source"],
  ["deadlock", "deadlock", "threads wait for each other, or may"],
  ["failed", "failure", "went wrong without a pair"],
];
const counted = (key, name, count) => count !== 1 && (key === "deadlock" || key === "failed") ? name + "s" : name;
const groupOf = f => f.kind === "deadlock" ? "deadlock" : f.kind === "failure" ? "failed" : f.rung;
const hiddenGroups = new Set();

const sources = new Map(data.sources.map(([file, line, t]) => [`${file}:${line}`, text(t)]));

function frameWhere(frame) {
  const [, file, line, column, , module, offset] = frame;
  if (line > 0) return `${text(file) || "??"}:${line}${column > 0 ? ":" + column : ""}`;
  return `${text(module).replace(/.*\//, "") || "??"}+0x${offset.toString(16)}`;
}
function places(f) {
  if (f.kind === "race") return f.accesses.map(a => a.own === undefined ? text(a.where) : frameWhere(data.frames[a.own]));
  if (f.kind === "deadlock") return f.edges.filter(e => e.stack.length).map(e => frameWhere(data.frames[e.stack[0]]));
  return [];
}
/* Everything a person may remember of a finding. */
function haystack(f) {
  const words = [text(f.title), f.id, f.rung, f.kind, ...places(f)];
  for (const a of f.accesses || []) words.push(text(a.where), text(a.does), text(a.thread), ...a.locks.map(text), ...a.stack.map(i => text(data.frames[i][0])));
  for (const e of f.edges || []) words.push(text(e.holds), text(e.waits_for), ...e.stack.map(i => text(data.frames[i][0])));
  for (const o of f.outcomes || []) words.push(text(o[0]));
  words.push(text(f.variable ?? -1), text(f.memory ?? -1), text(f.suppressed ?? -1), f.baseline || "");
  return words.join("\n").toLowerCase();
}

/* ---- source, in colour ------------------------------------------------------------------------ */

const token = /(\/\/.*|\/\*.*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)|\b(0x[\da-f]+|\d+(?:\.\d+)?)[a-z]*\b|\b(auto|bool|break|case|catch|char|class|const|continue|default|delete|do|double|else|enum|extern|false|float|for|goto|if|inline|int|long|namespace|new|nullptr|NULL|operator|private|public|return|short|signed|sizeof|static|struct|switch|template|this|throw|true|try|typedef|typename|union|unsigned|using|void|volatile|while|_Atomic|_Thread_local|_Bool)\b/gi;
function coloured(line) {
  const out = [];
  let last = 0;
  for (const m of line.matchAll(token)) {
    if (m.index > last) out.push(line.slice(last, m.index));
    out.push(el("span", m[1] ? "c" : m[2] ? "s" : m[3] ? "n" : "k", m[0]));
    last = m.index + m[0].length;
  }
  out.push(line.slice(last));
  return out;
}
function excerpt(file, line, label) {
  const rows = [];
  for (let n = line - 4; n <= line + 4; n++) {
    const t = sources.get(`${file}:${n}`);
    if (t === undefined) continue;
    const row = el("li", n === line ? "here" : "", el("span", "mono", String(n)), el("code", "", coloured(t)));
    if (n === line) attr(row, { "aria-current": "true" });
    rows.push(row);
  }
  if (!rows.length) return el("div", "source empty", line > 0 ? "The source was not found when this page was made." : "No line is known: the program has no debug information here.");
  return attr(el("div", "source", el("ol", "", rows)), { tabindex: "0", role: "region", "aria-label": label });
}
function stackOf(stack, depth) {
  if (!stack.length) return el("p", "source empty", "The stack was lost.");
  const rows = stack.slice(0, depth).map((index, i) => {
    const f = data.frames[index];
    return el("li", "mono", el("span", "", "#" + i), el("span", "", text(f[0]) || "??", " ", el("span", "place", frameWhere(f), f[4] ? " (inlined)" : "")));
  });
  const box = el("details", "", el("summary", "", `Stack, ${plural(rows.length, "frame", "frames")}`), el("ol", "stack", rows));
  box.open = depth <= 4;
  return box;
}

/* ---- a finding, opened ---------------------------------------------------------------------------- */

function accessCard(a, letter) {
  const name = el("span", "letter", letter);
  const value = text(a.value), own = a.own === undefined ? null : data.frames[a.own];
  return el("section", "side " + letter,
    el("header", "",
      el("p", "what", name, text(a.does), el("span", "", " in "), el("code", "", text(a.function) || "??")),
      el("p", "mono", text(a.where)),
      own && el("p", "", "called at ", el("code", "", frameWhere(own))),
      a.thread >= 0 && el("p", "", "by ", text(a.thread)),
      el("p", "", a.locks.length ? ["holds ", a.locks.map((l, i) => [i ? ", " : "", el("code", "", text(l))])] : "no locks held"),
      value && el("p", "", value.includes("->") ? "value " : "value before: ", el("code", "", value))),
    own ? excerpt(own[1], own[2], `Source of ${letter}, ${frameWhere(own)}`) : excerpt(a.file, a.line, `Source of ${letter}, ${text(a.where)}`),
    own && foldedExcerpt(a, letter),
    stackOf(a.stack, a.depth));
}
/* The line in the header of the system: there for those who want it. */
function foldedExcerpt(a, letter) {
  return el("details", "", el("summary", "", "Source of ", el("code", "", text(a.where).replace(/.*\//, ""))), excerpt(a.file, a.line, `Source of ${letter}, ${text(a.where)}`));
}
function edgeCard(e, i, happened) {
  const top = e.stack.length ? data.frames[e.stack[0]] : null;
  return el("section", "side edge",
    el("header", "",
      el("p", "what", el("span", "letter", String(i + 1)), "holds ", el("code", "", text(e.holds) || "??")),
      el("p", "", happened ? "waits for " : "asks for ", el("code", "", text(e.waits_for) || "??"), top ? [" in ", el("code", "", text(top[0]) || "??")] : ""),
      top && el("p", "mono", frameWhere(top))),
    top ? excerpt(top[1], top[2], `Source of thread ${i + 1}`) : el("p", "source empty", "Where it asks is not known."),
    stackOf(e.stack, e.depth));
}
function tally(f) {
  if (!f.trials) return [];
  const most = Math.max(...f.outcomes.map(o => o[1]), 1);
  const rows = f.outcomes.map(([name, count, a, b, harm]) => {
    const part = (n, kind) => {
      const bar = el("i", kind);
      bar.style.flexBasis = `${100 * n / most}%`;
      return n > 0 && bar;
    };
    return el("tr", "",
      el("td", harm ? "harm" : "", text(name), harm ? (a + b ? " · harm" : " · harm, but not of this pair") : ""), el("td", "", String(count)), el("td", "", String(a)), el("td", "", String(b)),
      attr(el("td", "chart", el("div", "bars", part(a, "a"), part(b, "b"), part(count - a - b, "rest"))), { "aria-hidden": "true" }));
  });
  const head = el("thead", "", el("tr", "", el("th", "", "ended in"), el("th", "", "trials"),
    el("th", "", el("span", "key a"), "a first"), el("th", "", el("span", "key b"), "b first"),
    attr(el("th", "chart", el("span", "key rest"), "did not meet"), { "aria-hidden": "true" })));
  for (const th of head.querySelectorAll("th")) th.scope = "col";
  return [el("h3", "", `Tally: hit in ${f.hits} of ${plural(f.trials, "trial", "trials")}`), el("table", "tally", head, el("tbody", "", rows))];
}

/* One lane a thread, time downward. A lane is drawn from its thread's first step to its last. */
function lanes(w) {
  const threads = [...new Set(w.lanes.flatMap(l => l[0] === 0 ? [l[1]] : l[0] === 1 ? [l[1], l[2]] : []))].sort((x, y) => x - y);
  const first = new Map(), last = new Map();
  w.lanes.forEach((l, i) => {
    for (const t of l[0] === 0 ? [l[1]] : l[0] === 1 ? [l[1], l[2]] : []) {
      if (!first.has(t)) first.set(t, i);
      last.set(t, i);
    }
  });
  if (w.lanes.at(-1)[0] === 5 && text(w.lanes.at(-1)[1]) === "deadlock") threads.forEach(t => last.set(t, w.lanes.length)); /* they stay where they are */
  const laneCells = (i, mark) => threads.map(t => el("td", "lane" + (i < first.get(t) || i > last.get(t) ? " ended" : ""), mark(t)));
  const rows = w.lanes.map((l, i) => {
    if (l[0] === 0) {
      const [, thread, word, place, side] = l, letter = side === 1 ? "a" : side === 2 ? "b" : "";
      const op = text(word), stops = op.startsWith("stops at"), where = place >= 0 ? data.places[place] : null;
      const dot = () => el("span", `dot${letter ? " letter " + letter : ""}${stops ? " hollow" : ""}`, letter);
      return el("tr", letter ? "pair" : "",
        laneCells(i, t => t === thread ? [dot(), el("span", "hidden", `T${t}`)] : ""),
        el("td", "op", op), el("td", "mono", where ? `${text(where[0]).replace(/.*\//, "")}:${where[1]}` : ""),
        el("td", "text", where ? el("code", "", where[3] < 0 ? "" : coloured(text(where[3]))) : ""));
    }
    if (l[0] === 1) {
      const goes = l[3] >= 0 ? `; T${l[3]} goes first` : "";
      return el("tr", "meeting", laneCells(i, t => t === l[1] || t === l[2] ? el("span", "ring") : ""),
        attr(el("td", "", `T${l[1]} and T${l[2]} both stand before their accesses${goes}`), { colspan: 3 }));
    }
    if (l[0] === 5) {
      const end = text(l[1]);
      return el("tr", "end", laneCells(i, () => ""), attr(el("td", "", end === "deadlock" ? "deadlock: nobody can go on" : end), { colspan: 3 }));
    }
    const words = l[0] === 2 ? plural(l[1], "step", "steps") + (i + 1 === w.lanes.length ? " to the end" : "")
      : l[0] === 3 ? `${l[2] === 1 ? "the same" : `these ${l[2]} lines`} ${l[1] === 1 ? "once more" : l[1] + " times more"}` : "the watchdog acted";
    return el("tr", "gap", laneCells(i, () => ""), attr(el("td", "", "… " + words), { colspan: 3 }));
  });
  const head = el("tr", "", threads.map(t => el("th", "lane", "T" + t)), el("th", "", "does"), el("th", "", "where"), el("th", "", ""));
  for (const th of head.children) th.scope = "col";
  return attr(el("div", "lanes-wrap", el("table", "lanes", el("caption", "hidden", "The schedule, time downward"), el("thead", "", head), el("tbody", "", rows))),
    { tabindex: "0", role: "region", "aria-label": "Schedule as lanes" });
}
function witness(f) {
  const w = f.witness;
  if (!w) return [];
  const copy = attr(el("button", "copy", "Copy"), { type: "button", "aria-label": "Copy the replay line" });
  copy.addEventListener("click", () => copyText(w.replay, copy));
  return [
    el("h3", "", `A run that shows it: ${plural(w.steps, "step", "steps")}, ${plural(w.switches, "context switch", "context switches")}, ended in ${text(w.outcome) || "??"}`),
    w.lanes && lanes(w),
    el("h3", "", "Repeat it"),
    el("div", "replay", el("code", "", w.replay), copy, el("span", "facts", `${text(w.policy)}, seed ${w.seed}`)),
  ];
}
function harm(f) {
  const bad = (f.outcomes || []).filter(o => o[4] && o[2] + o[3] > 0);
  if (!bad.length) return false;
  const a = bad.reduce((n, o) => n + o[2], 0), b = bad.reduce((n, o) => n + o[3], 0);
  const only = a + b >= 3 && (!a || !b) ? ` It was only seen when ${a ? "a" : "b"} goes first.` : "";
  return el("p", "box harm", el("b", "", "Harm"), ` ended in ${bad.map(o => text(o[0])).join(", ")}, which the undisturbed run does not.${only}`);
}
function body(f) {
  const fact = (name, value) => value && el("span", "", name + " ", el("b", "", value));
  const out = [el("p", "facts", fact("id", f.id), f.found_by >= 0 && fact("found by", text(f.found_by)),
    f.variable >= 0 && fact("variable", text(f.variable)), f.memory >= 0 && fact("memory", text(f.memory)),
    f.baseline && fact("baseline", f.baseline), f.kind === "failure" && fact("seen", plural(f.count, "time", "times")))];
  if (f.suppressed >= 0) out.push(el("p", "box hint", el("b", "", "Suppressed"), text(f.suppressed)));
  out.push(harm(f));
  if (f.hint >= 0) out.push(el("p", "box hint", el("b", "", "Hint"), text(f.hint)));
  if (f.kind === "race") out.push(el("div", "sides", accessCard(f.accesses[0], "a"), accessCard(f.accesses[1], "b")));
  if (f.kind === "deadlock") out.push(el("div", "sides", f.edges.map((e, i) => edgeCard(e, i, f.rung === "harmful"))));
  if (f.kind === "deadlock" && f.trials) out.push(el("h3", "", `Happened in ${f.hits} of ${plural(f.trials, "trial", "trials")}`));
  if (f.kind === "race") out.push(tally(f));
  out.push(witness(f));
  return el("div", "body", out.filter(Boolean));
}

/* ---- the list ----------------------------------------------------------------------------------------- */

const rows = data.findings.map((f, index) => {
  const group = groupOf(f);
  const name = f.kind === "deadlock" && f.rung !== "harmful" ? f.rung : f.kind === "failure" ? "failed" : f.rung;
  const head = attr(el("button", "head",
    el("span", "rung-name", name),
    el("span", "title", text(f.title), f.baseline === "new" && el("span", "tag new", "new"), f.suppressed >= 0 && el("span", "tag", "suppressed")),
    el("span", "hits", f.trials ? `${f.hits} of ${f.trials}` : f.kind === "failure" ? `× ${f.count}` : "", " ", el("code", "", f.short)),
    el("span", "where mono", places(f).join("  ·  "))),
    { type: "button", "aria-expanded": "false", "aria-controls": "body-" + f.id, tabindex: index ? "-1" : "0" });
  const item = attr(el("li", `finding tone-${group}${f.suppressed >= 0 ? " suppressed" : ""}`, el("h2", "", head)), { id: f.id });
  const row = { f, group, head, item, index, hay: null };
  head.addEventListener("click", () => toggle(row));
  head.addEventListener("focus", () => { current = row; for (const r of shown) r.head.tabIndex = r === row ? 0 : -1; });
  return row;
});
let shown = rows, current = null;

function toggle(row, open = row.head.getAttribute("aria-expanded") !== "true") {
  row.head.setAttribute("aria-expanded", String(open));
  row.item.classList.toggle("open", open);
  if (open && !row.body) row.item.append(row.body = attr(body(row.f), { id: "body-" + row.f.id }));
  if (row.body) row.body.hidden = !open;
}

const orders = {
  evidence: (x, y) => x.index - y.index,
  file: (x, y) => (places(x.f)[0] || "~").localeCompare(places(y.f)[0] || "~", undefined, { numeric: true }) || x.index - y.index,
  variable: (x, y) => (text(x.f.variable ?? -1) || "~").localeCompare(text(y.f.variable ?? -1) || "~") || x.index - y.index,
};
function update() {
  const words = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  shown = rows.filter(r => !hiddenGroups.has(r.group) && words.every(w => (r.hay ??= haystack(r.f)).includes(w)));
  shown.sort(orders[byId("sort").value]);
  byId("list").replaceChildren(...shown.map(r => r.item));
  byId("list").classList.toggle("long", shown.length > 100); /* those out of sight are not laid out */
  byId("none").hidden = shown.length > 0 || !rows.length;
  byId("count").textContent = shown.length === rows.length ? plural(rows.length, "finding", "findings") : `${shown.length} of ${rows.length}`;
  shown.forEach((r, i) => { r.head.tabIndex = i ? -1 : 0; });
  if (!shown.includes(current)) current = null;
  byId("all").textContent = shown.some(r => r.item.classList.contains("open")) ? "Close all" : "Open all";
  byId("all").hidden = shown.length > 50 && byId("all").textContent === "Open all";
}

/* ---- overview ------------------------------------------------------------------------------------------- */

function overview() {
  byId("version").textContent = data.version;
  byId("verdict").textContent = data.verdict;
  byId("verdict").classList.add(data.verdict);
  byId("meaning").textContent = data.meaning[0].toUpperCase() + data.meaning.slice(1) + ".";
  const counts = groups.map(([key, name, means]) => [key, name, means, rows.filter(r => r.group === key).length]).filter(g => g[3]);
  counts.forEach(([key, name, means, count], i) => {
    const chip = attr(el("button", `rung tone-${key}`, el("b", "", String(count)), counted(key, name, count)), { type: "button", "aria-pressed": "true", title: `${means} (key ${i + 1})`, "data-group": key });
    chip.addEventListener("click", () => {
      if (!hiddenGroups.delete(key)) hiddenGroups.add(key);
      chip.setAttribute("aria-pressed", String(!hiddenGroups.has(key)));
      update();
    });
    byId("rungs").append(chip);
    const part = el("i", `tone-${key}`);
    part.style.flex = String(count);
    byId("bar").append(part);
  });
  byId("bar").setAttribute("aria-label", counts.map(g => `${g[3]} ${counted(g[0], g[1], g[3])}`).join(", "));
  byId("bar").hidden = counts.length < 2;
  const losses = [];
  if (data.losses.length) losses.push("Not everything was seen: " + data.losses.map(l => `${l[0]} ${l[1]}`).join(", ") + ".");
  if (data.left_out) losses.push(`${plural(data.left_out, "finding", "findings")} more did not fit this page; --format json has all.`);
  byId("losses").hidden = !losses.length;
  byId("losses").textContent = losses.join(" ");
}

/* ---- colours, keys, addresses ------------------------------------------------------------------------------ */

const themes = ["system", "light", "dark"];
function setTheme(name) {
  if (name === "system") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.dataset.theme = name;
  byId("theme").textContent = `Colours: ${name}`;
  byId("theme").dataset.now = name;
  try { localStorage.setItem("deadheat-theme", name); } catch { /* a file:// page may have no storage */ }
}
function nextTheme() { setTheme(themes[(themes.indexOf(byId("theme").dataset.now) + 1) % themes.length]); }

function copyText(line, button) {
  const say = word => { button.textContent = word; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
  const byHand = () => {
    const area = el("textarea", "hidden");
    area.value = line;
    document.body.append(area);
    area.select();
    say(document.execCommand("copy") ? "Copied" : "Press Ctrl-C");
    area.remove();
    button.focus();
  };
  if (navigator.clipboard) navigator.clipboard.writeText(line).then(() => say("Copied"), byHand);
  else byHand();
}
function move(step) {
  if (!shown.length) return;
  const at = current ? shown.indexOf(current) + step : step > 0 ? 0 : shown.length - 1;
  const row = shown[Math.max(0, Math.min(shown.length - 1, at))];
  row.head.focus();
  row.head.scrollIntoView({ block: "nearest" });
}
function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.target === byId("search")) {
    if (event.key === "Escape") { byId("search").value = ""; update(); byId("search").blur(); }
    if (event.key === "ArrowDown" || event.key === "Enter") { event.preventDefault(); current = null; move(1); }
    return;
  }
  if (typing) return;
  const inList = event.target.classList.contains("head") || event.target === document.body;
  const keys = {
    "/": () => byId("search").focus(), "?": () => byId("help").showModal(), t: nextTheme,
    j: () => move(1), k: () => move(-1),
    ArrowDown: inList && (() => move(1)), ArrowUp: inList && (() => move(-1)),
    Home: inList && (() => { current = null; move(1); }), End: inList && (() => { current = null; move(-1); }),
    c: () => current?.item.querySelector(".copy")?.click(),
    Escape: () => { byId("search").value = ""; update(); },
  };
  const chip = /^[1-7]$/.test(event.key) && byId("rungs").children[event.key - 1];
  const act = chip ? () => chip.click() : Object.hasOwn(keys, event.key) && keys[event.key];
  if (act) { event.preventDefault(); act(); }
}
function openAddress() {
  const id = location.hash.slice(1), row = id.length >= 4 && rows.find(r => r.f.id.startsWith(id));
  if (!row) return;
  toggle(row, true);
  row.head.focus();
  row.item.scrollIntoView();
}

let theme = "system";
try { theme = localStorage.getItem("deadheat-theme") || theme; } catch { /* as above */ }
setTheme(themes.includes(theme) ? theme : "system");
overview();
update();
byId("search").addEventListener("input", update);
byId("sort").addEventListener("change", update);
byId("theme").addEventListener("click", nextTheme);
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("all").addEventListener("click", () => {
  const close = shown.some(r => r.item.classList.contains("open"));
  for (const r of shown) toggle(r, !close);
  update();
});
document.addEventListener("keydown", onKey);
window.addEventListener("hashchange", openAddress);
if (location.hash) openAddress();
else if (rows.length === 1) toggle(rows[0], true);
document.documentElement.dataset.ready = "true";
})();

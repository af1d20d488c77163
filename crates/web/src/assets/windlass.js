// Part of Windlass; MIT OR Apache-2.0. Pages are complete without this script. It shows changes as they happen, counts
// leases down, shows times in the reader's time zone, and moves graphs.
"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  // Times: absolute in the reader's time zone, leases as the time that is left.
  const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const spoken = seconds => {
    const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
    return hours ? `${hours} h ${minutes % 60} min` : minutes ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
  };
  const left = until => {
    const seconds = Math.round((Date.parse(until) - Date.now()) / 1000);
    return seconds < 0 ? `ended ${spoken(-seconds)} ago` : `${spoken(seconds)} left`;
  };
  const write = (one, text) => { if (one.textContent !== text) one.textContent = text; };
  const times = () => {
    for (const one of all("time[datetime]")) {
      const at = new Date(one.dateTime);
      if (isNaN(at)) continue;
      if (one.dataset.since) { write(one, spoken(Math.max(0, Math.round((Date.now() - at) / 1000)))); continue; }
      if (one.dataset.until) { write(one, left(one.dataset.until)); continue; }
      if (!one.title) one.title = one.textContent;
      write(one, at.toDateString() === new Date().toDateString() ? clock.format(at) : day.format(at));
    }
  };
  let ticking = 0;
  const tick = () => {
    clearInterval(ticking);
    times();
    if (!document.hidden && document.querySelector("time[data-until],time[data-since]")) ticking = setInterval(times, 1000);
  };

  // Graphs: the view box is moved and scaled; steps lead to their rows.
  const views = new Map();
  const graph = figure => {
    const svg = figure.querySelector("svg");
    if (!svg) return;
    // The title of the drawing is that of the page.
    const top = 52;
    const [, , width, whole] = svg.getAttribute("viewBox").split(" ").map(Number);
    const height = whole - top;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    const id = figure.parentElement.id;
    const fit = () => {
      const { width: w, height: h } = figure.getBoundingClientRect();
      // Not enlarged, and never so small that names cannot be read: the rest is a move away.
      const scale = Math.max(Math.min(w / width, h / height, 1), 0.45);
      return { x: 0, y: top + Math.min((height - h / scale) / 2, 0), w: w / scale, h: h / scale };
    };
    // A small graph needs less room than the style gives.
    const needed = height * Math.min(figure.clientWidth / width, 1);
    figure.style.height = `${Math.min(Math.max(needed, 120), figure.clientHeight) + 2}px`;
    let view = views.get(id) ?? fit();
    const show = () => { views.set(id, view); svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.w} ${view.h}`); };
    const zoom = (by, cx = 0.5, cy = 0.5) => {
      const w = Math.min(Math.max(view.w * by, 80), Math.max(width, view.w) * 4);
      const h = view.h * w / view.w;
      view = { x: view.x + (view.w - w) * cx, y: view.y + (view.h - h) * cy, w, h };
      show();
    };
    const move = (dx, dy) => { view = { ...view, x: view.x + dx, y: view.y + dy }; show(); };
    figure.addEventListener("wheel", event => {
      if (!event.ctrlKey && !event.metaKey && document.activeElement !== figure) return;
      event.preventDefault();
      const box = figure.getBoundingClientRect();
      zoom(event.deltaY > 0 ? 1.15 : 1 / 1.15, (event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
    }, { passive: false });
    let from = null, moved = false;
    figure.addEventListener("pointerdown", event => { from = event; moved = false; });
    figure.addEventListener("pointermove", event => {
      if (!from) return;
      if (Math.abs(event.clientX - from.clientX) + Math.abs(event.clientY - from.clientY) < 4 && !moved) return;
      if (!moved) { moved = true; figure.setPointerCapture(event.pointerId); figure.classList.add("moving"); }
      const scale = view.w / figure.getBoundingClientRect().width;
      move((from.clientX - event.clientX) * scale, (from.clientY - event.clientY) * scale);
      from = event;
    });
    const end = () => { from = null; figure.classList.remove("moving"); };
    figure.addEventListener("pointerup", end);
    figure.addEventListener("pointercancel", end);
    figure.addEventListener("click", event => {
      const step = event.target.closest("[data-step]");
      if (!step || moved) return;
      const name = step.dataset.step, row = document.getElementById("step-" + name);
      if (!row) { location = `${location.pathname.replace(/\/graph$/, "")}?step=${encodeURIComponent(name)}#step-${name}`; return; }
      location.hash = row.id;
      row.scrollIntoView({ block: "center" });
    });
    figure.addEventListener("keydown", event => {
      const by = view.w / 10;
      const keys = {
        ArrowLeft: () => move(-by, 0), ArrowRight: () => move(by, 0), ArrowUp: () => move(0, -by), ArrowDown: () => move(0, by),
        "+": () => zoom(1 / 1.25), "=": () => zoom(1 / 1.25), "-": () => zoom(1.25), "0": () => { view = fit(); show(); },
      };
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    show();
  };

  // Excerpts: what most languages write alike gets a colour; prose gets none.
  const tokens = /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.){1,60}'|`(?:[^`\\]|\\.)*`)|(\/\/.*|\/\*.*?(?:\*\/|$)|(?:^|\s)(?:#|--)\s.*)|\b(\d[\w.]*)|([A-Za-z_]\w*)/g;
  const words = new Set(("abstract as async await break case catch class const continue def default do elif else enum export extends false final finally fn for from func function if impl " +
    "implements import in interface is let loop match mod module move mut namespace new nil None not null package pass private protected pub public raise return self static struct " +
    "super switch this throw trait true True False try type union unsafe use using var void where while with yield").split(" "));
  const colour = line => {
    const text = line.lastChild;
    if (text?.nodeType !== 3 || text.data.length > 2000) return;
    const parts = [];
    let at = 0;
    for (const found of text.data.matchAll(tokens)) {
      const kind = found[1] ? "string" : found[2] ? "comment" : found[3] ? "number" : words.has(found[4]) ? "keyword" : "";
      if (!kind) continue;
      const span = document.createElement("b");
      span.className = kind;
      span.textContent = found[0];
      parts.push(text.data.slice(at, found.index), span);
      at = found.index + found[0].length;
    }
    if (parts.length) text.replaceWith(...parts, text.data.slice(at));
  };
  const isProse = /\.(?:md|markdown|txt|rst|adoc|csv|log)(?::|$)/i;
  const excerpts = within => {
    for (const pre of all("pre.lines", within)) {
      const place = pre.closest("section")?.querySelector(".place") && pre.previousElementSibling?.querySelector("code");
      if (!isProse.test(place?.textContent ?? "")) all("span", pre).forEach(colour);
    }
  };

  // Changes: the server sends the parts that differ from the version shown; each replaces the element with its id.
  const follows = (document.body.dataset.follows || "").split(" ").filter(Boolean);
  const focusable = "a,button,input,select,textarea,summary,[tabindex]";
  const isEdited = field => field.tagName === "SELECT"
    ? field.options[field.selectedIndex] !== ([...field.options].findLast(option => option.defaultSelected) ?? field.options[0])
    : field.value !== field.defaultValue || field.checked !== field.defaultChecked;
  const isInUse = part => all("form", part).some(form => form.contains(document.activeElement) || all("input,select,textarea", form).some(isEdited));
  // Identity of a control: after a change, another one may be at its position, such as the button of another gate.
  const identity = one => JSON.stringify([one.tagName, one.name, one.getAttribute("value"), one.getAttribute("href"), one.closest("[data-key]")?.dataset.key,
    [...(one.form?.elements ?? [])].filter(field => field.type === "hidden").map(field => [field.name, field.value])]);
  const replace = (old, next) => {
    const open = new Set(all("details[open][data-key]", old).map(one => one.dataset.key));
    for (const one of all("details[data-key]", next)) one.open ||= open.has(one.dataset.key);
    const focus = old.contains(document.activeElement) && identity(document.activeElement);
    const same = part => all(focusable, part).filter(one => identity(one) === focus);
    const position = focus ? same(old).indexOf(document.activeElement) : -1;
    const scrolled = all(".wide,pre", old).map(one => one.scrollLeft);
    old.replaceWith(next);
    prepare(next);
    if (focus) same(next)[position]?.focus({ preventScroll: true });
    all(".wide,pre", next).forEach((one, at) => { if (scrolled[at]) one.scrollLeft = scrolled[at]; });
    next.classList.add("changed");
    setTimeout(() => next.classList.remove("changed"), 1600);
  };
  // Shows `next`. A part with a form in use stays as it is and its id is added to `held`, but the parts within it are updated.
  const update = (next, held) => {
    const old = document.getElementById(next.id);
    if (!old) return;
    if (!isInUse(old)) { replace(old, next); return; }
    held.add(old.id);
    for (const inner of all("[id]", next)) if (inner.parentElement.closest("[id],form") === next) update(inner, held);
  };
  // Once a held part is not in use any more, the whole page is loaded: the server sends only changes since the newest version.
  const isReleased = ({ held }) => [...held].some(id => { const part = document.getElementById(id); return !part || !isInUse(part); });
  const element = html => {
    const box = document.createElement("template");
    const drawn = html.startsWith("<g ");
    box.innerHTML = drawn ? `<svg>${html}</svg>` : html;
    return drawn ? box.content.firstChild.firstChild : box.content.firstElementChild;
  };
  const renew = async source => {
    if (isReleased(source)) { source.held.clear(); source.version = ""; }
    const answer = await fetch(source.path, { headers: { Accept: "text/html", "A-IM": "parts", "If-None-Match": `"${source.version}"` } });
    if (!answer.ok) return;
    const root = document.getElementById(source.id);
    if (answer.status === 226) {
      for (const next of (await answer.json()).map(element)) if (root?.contains(document.getElementById(next.id))) update(next, source.held);
    } else {
      const next = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById(source.id);
      next?.classList.remove("whole");
      if (root && next) update(next, source.held);
    }
    source.version = (answer.headers.get("ETag") || "").replaceAll('"', "");
  };
  const status = document.getElementById("live");
  let sources = [{ path: location.href.split("#")[0], id: "main", version: status.dataset.version, held: new Set() }];
  // Large graphs have their own pages, and are loaded when they come into view.
  const seen = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      const source = { path: target.href, id: target.dataset.load, version: "", held: new Set() };
      renew(source).then(() => { sources = [...sources.filter(other => other.id !== source.id), source]; }, () => {});
    }
  });
  const prepare = within => {
    for (const figure of all(".graph", within)) graph(figure);
    for (const link of all("a[data-load]", within)) seen.observe(link);
    excerpts(within);
    // What scrolls can be reached by keyboard.
    for (const one of all(".wide,pre", within)) if (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight) one.tabIndex = 0;
  };
  prepare(document);
  tick();
  const summary = () => sources.some(source => source.held.size) ? "Changes around the form in use are shown afterwards."
    : document.querySelector("[data-summary]")?.dataset.summary.trim() ?? "";
  let before = summary(), running = false, again = false;
  const renewAll = async () => {
    again = true;
    if (running) return;
    running = true;
    try {
      while (again) {
        again = false;
        for (const source of sources) await renew(source);
        const now = summary();
        if (now !== before) { write(status, now); before = now; }
        tick();
      }
    } catch (error) {
      // The server ended; the browser connects again by itself.
    } finally {
      running = false;
    }
  };
  let events = null;
  const connect = () => {
    if (!follows.length || events || document.hidden) return;
    events = new EventSource("/live");
    // Changes before the connection were not reported.
    events.addEventListener("open", renewAll);
    events.addEventListener("change", event => {
      const kinds = event.data.split(" ");
      if (kinds.includes("all") || kinds.some(kind => follows.includes(kind))) renewAll();
    });
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) { events?.close(); events = null; clearInterval(ticking); return; }
    connect();
    tick();
  });
  connect();
  for (const kind of ["focusout", "reset"]) document.addEventListener(kind, () => setTimeout(() => { if (sources.some(isReleased)) renewAll(); }));

  // Filters take effect at once.
  for (const select of all(".filter select")) select.addEventListener("change", () => select.form.requestSubmit());
})();

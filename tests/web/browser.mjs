// Looks at every screen in Chromium, by Playwright: no error, no overflow, no serious finding of axe; and acts as a person
// does. Arguments: address of the server, folder for pictures, paths of the screens as JSON.
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [address, pictures, screens] = process.argv.slice(2);
const require = createRequire(process.env.WINDLASS_WEB_TOOLS + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
mkdirSync(pictures, { recursive: true });

const problems = [];
const browser = await chromium.launch({
  executablePath: process.env.WINDLASS_CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/// Opens a page whose errors are problems.
const open = async (context, path) => {
  const page = await context.newPage();
  page.on("console", message => message.type() === "error" && !message.text().includes("status of 400") && problems.push(`${path}: console: ${message.text()}`));
  page.on("pageerror", error => problems.push(`${path}: ${error}`));
  await page.goto(address + path, { waitUntil: "load" });
  return page;
};

/// Looks at every screen with a window of `width` pixels. Colours are the same at any width, so axe looks only where
/// `isWhole`.
const look = async (width, colorScheme, isWhole) => {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, bypassCSP: true });
  for (const [name, path] of Object.entries(JSON.parse(screens))) {
    const page = await open(context, path);
    const at = `${name} ${width} ${colorScheme}`;
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth);
    if (scroll > width) {
      const wide = await page.evaluate(width => [...document.querySelectorAll("main *")]
        .filter(one => !one.closest(".wide,pre,svg") && one.getBoundingClientRect().right > width + 1)
        .slice(0, 3).map(one => `${one.tagName}.${one.className}`), width);
      problems.push(`${at}: ${scroll} pixels wide: ${wide}`);
    }
    if (isWhole) {
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of found.violations.filter(one => ["serious", "critical"].includes(one.impact))) {
        const node = one.nodes[0];
        problems.push(`${at}: axe ${one.id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? node.failureSummary}`);
      }
      await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` });
    }
    await page.close();
  }
  await context.close();
};
await Promise.all([
  look(1280, "light", true), look(1280, "dark", true), look(390, "light", true), look(390, "dark", true),
  look(360, "light", false),
]);

// A change neither takes the text of a form nor moves the focus to the control of another gate.
const say = words => process.stdout.write(`${words}\n`);
const [first, second, third, fourth] = JSON.parse(process.env.WINDLASS_WEB_GATES);
const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
const gates = await open(context, "/work");
const form = mol => gates.locator(`#gates form:has(input[value="${mol}"])`);
const step = mol => `/work/molecules/${mol}/steps/approve`;
const shown = mol => gates.waitForSelector(`#feed a[href="${step(mol)}"]`, { timeout: 60000 });
const expect = (found, wanted, what) => found === wanted || problems.push(`${what}: ${found}, not ${wanted}`);
await form(fourth).getByRole("button", { name: "Reject" }).focus();
say(`approve ${first}`);
await shown(first);
expect(await gates.evaluate(() => document.activeElement.form?.elements.molecule.value), fourth, "a change moved the focus to the gate");
await gates.locator(`#gates h3 a[href="${step(fourth)}"]`).focus();
await form(first).waitFor({ state: "detached", timeout: 60000 });
say(`approve ${second}`);
await form(second).waitFor({ state: "detached", timeout: 60000 });
expect(await gates.evaluate(() => document.activeElement.getAttribute("href")), step(fourth), "a change moved the focus to");
await form(fourth).getByLabel("Comment").fill("Read twice");
await gates.locator("#main").focus();
say(`approve ${third}`);
await shown(third);
expect(await form(fourth).getByLabel("Comment").inputValue(), "Read twice", "after a change, the comment is");
await form(fourth).getByRole("button", { name: "Approve" }).click();
await gates.waitForURL(`**/work/molecules/${fourth}`);
await gates.goto(address + step(fourth));
expect(await gates.locator("#history", { hasText: "Read twice" }).count(), 1, "times that the history has the comment");
await gates.close();

// The policy holds here: a person watches a molecule, and approves its gate.
const page = await open(context, process.env.WINDLASS_WEB_MOLECULE);
const state = step => page.locator(`.graph [data-step="${step}"]`).getAttribute("class");
if (!(await state("approve")).includes("state-blocked")) problems.push(`the gate is ${await state("approve")}`);
await page.getByLabel("Comment").fill("Looks good");
await page.getByRole("button", { name: "Approve" }).click();
await page.waitForLoadState("load");
if (!(await state("approve")).includes("state-ready")) problems.push(`after the approval, the step is ${await state("approve")}`);
// Another process claims the step; the page shows it without a reload.
say("claim");
await page.waitForSelector('.graph [data-step="approve"].state-in_progress', { timeout: 60000 });
const board = await open(context, "/work/board");
await board.locator(".card.in_progress time", { hasText: "left" }).waitFor({ timeout: 60000 });
await board.screenshot({ path: `${pictures}/board-1280-light.png`, clip: { x: 0, y: 0, width: 1280, height: 480 } });
await page.locator(".graph").focus();
const box = () => page.locator(".graph svg").getAttribute("viewBox");
const before = await box();
await page.keyboard.press("+");
await page.keyboard.press("ArrowRight");
if ((await box()) === before) problems.push("the graph cannot be moved by keys");

// A change reaches the page within 300 ms of its event: the fastest of five, because other work shares the machine.
const feed = await open(context, "/work");
await feed.evaluate(() => {
  const times = () => [...document.querySelectorAll("#feed li time")].map(one => one.dateTime);
  const known = new Set(times());
  window.delays = new Map();
  const note = () => times().filter(at => !known.has(at) && !delays.has(at)).forEach(at => delays.set(at, Date.now() - Date.parse(at)));
  new MutationObserver(note).observe(document.body, { childList: true, subtree: true });
});
for (let n = 1; n <= 5; n++) {
  say("bead");
  await feed.waitForFunction(n => window.delays.size >= n, n, { timeout: 60000 });
}
const delays = await feed.evaluate(() => [...window.delays.values()]);
console.error(`changes reached the page after ${delays.join(", ")} ms`);
if (Math.min(...delays) > 300) problems.push(`changes need ${delays} ms`);

// A run that is under way: its steps change on the page.
const watched = await open(context, "/runs");
say("run");
await watched.waitForSelector("text=running", { timeout: 60000 });
await watched.click("#list a:has-text(\"slow\")");
await watched.waitForSelector('.graph [data-step="waits"].state-in_progress', { timeout: 60000 });
say("end");
await watched.waitForSelector('.graph [data-step="waits"].state-completed', { timeout: 60000 });
await watched.waitForSelector("#pack h1", { timeout: 60000 });
await browser.close();

for (const problem of problems) console.error(problem);
process.exit(problems.length ? 1 : 0);

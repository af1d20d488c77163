// Runs each scenario and prints two lines for it: what the client sent, and what became of the claim.
// Usage: node run.mjs WINDLASS RECORDS REPOSITORY [CLIENT…]
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { serveModel } from "./model.mjs";
import { Sandbox } from "./sandbox.mjs";
import { faults, SCENARIOS } from "./scenarios.mjs";

const [windlass, records, root, ...named] = process.argv.slice(2);

/** Number of looks for the release of the claim: some clients do not wait for their last hook. */
const LOOKS = 40;

/** Returns the events of the ledger that claim or release, as `TYPE by ACTOR`. */
function claims(sandbox) {
  const { events } = JSON.parse(sandbox.windlass("events", "list", "--format", "json"));
  const held = events.filter((event) => /step_(started|released)$/.test(event.event_type));
  return held.map((event) => `${event.event_type} by ${event.actor}`);
}

async function released(sandbox) {
  for (let look = 0; look < LOOKS; look += 1) {
    if (/build/.test(sandbox.windlass("mol", "ready"))) return true;
    await pause(250);
  }
  return false;
}

async function play(name) {
  const scenario = SCENARIOS[name];
  const sandbox = new Sandbox(windlass);
  const model = await serveModel(scenario.script);
  try {
    const version = sandbox.call(scenario.version[0], scenario.version.slice(1)).trim();
    scenario.set_up(sandbox);
    for (const [program, ...args] of scenario.checks?.(root) ?? []) sandbox.call(program, args);
    const proxy = Object.fromEntries(
      ["HTTP_PROXY", "HTTPS_PROXY"].flatMap((key) => [[key, model.url], [key.toLowerCase(), model.url]]),
    );
    const env = { ...proxy, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1", ...scenario.env(model.url) };
    const began = Date.now();
    const ended = await sandbox.start(scenario.start(model.url, root), env);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const sent = model.record.requests;
    const found = faults(scenario, sent, ended);
    const wanted = [`mol.step_started by ${scenario.actor}`];
    if (!scenario.keeps_claim) {
      wanted.push(`mol.step_released by ${scenario.actor}`);
      if (!(await released(sandbox))) found.push("the claim was not released at the end of the session");
    }
    const by = claims(sandbox);
    if (by.join() !== wanted.join()) found.push(`claimed and released otherwise than ${wanted.join(", ")}: ${by.join(", ")}`);
    mkdirSync(records, { recursive: true });
    writeFileSync(join(records, `${name}.json`), JSON.stringify(sent.map((request) => request.body), null, 1));
    const main = sent.find((request) => request.tools.length > 0);
    const tools = (main?.tools ?? []).filter((tool) => tool.includes("windlass")).length;
    const outside = [...model.record.outside];
    console.log(`${name}: ${version}; ${sent.length} requests in ${seconds} s; ${tools} tools, ${Object.keys(scenario.marks).join(", ")}`);
    console.log(`  ${by.join(", ")}; refused hosts: ${outside.length > 0 ? outside.join(", ") : "none"}`);
    for (const fault of found) console.log(`  FAULT ${fault}`);
    return found.length === 0;
  } finally {
    model.close();
    sandbox.remove();
  }
}

let good = true;
for (const name of named.length > 0 ? named : Object.keys(SCENARIOS)) {
  try {
    good = (await play(name)) && good;
  } catch (error) {
    console.log(`${name}: FAULT ${error.stack}`);
    good = false;
  }
}
process.exit(good ? 0 : 1);

// Says what came of a scenario of the conformance suite, by the checks that it wrote.
// Usage: node judge.mjs SCENARIO FOLDER. What needs a tool of a fixture server ("Not testable") is told, and no failure.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const [scenario, folder] = process.argv.slice(2);

function files(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? files(path) : entry.name === "checks.json" ? [path] : [];
  });
}

let checks = [];
try {
  checks = files(folder).flatMap((file) => JSON.parse(readFileSync(file)));
} catch (error) {
  console.log(`FAIL  ${scenario}: ${error.message}`);
}
const of = (status) => checks.filter((check) => check.status === status);
const untested = of("FAILURE").filter((check) => /^Not testable/.test(check.errorMessage ?? ""));
const failed = of("FAILURE").filter((check) => !untested.includes(check));
const counts = `${of("SUCCESS").length} passed, ${failed.length} failed, ${untested.length} need a fixture, ${of("WARNING").length} warnings`;
console.log(`${failed.length || !checks.length ? "FAIL" : "ok  "}  ${scenario}: ${counts}`);
for (const check of [...failed, ...of("WARNING")]) {
  console.log(`        ${check.id}: ${check.errorMessage ?? check.description}`);
}
process.exit(failed.length || !checks.length ? 1 : 0);

#!/usr/bin/env node
// Starts the program of this platform, which is in a package of its own.
"use strict";
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { name } = require("./package.json");

const file = process.platform === "win32" ? "windlass.exe" : "windlass";
const platform = `${name}-${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${platform}/${file}`);
} catch {
  console.error(`error: the package \`${platform}\` is not installed`);
  console.error("help: install without `--omit=optional`; on a platform without a package, build from source");
  process.exit(3);
}
const child = spawn(program, process.argv.slice(2), { stdio: "inherit" });
// The terminal sends these to the program, too: it decides when to end.
for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => {});
process.on("SIGTERM", () => child.kill("SIGTERM"));
child.on("error", (error) => {
  console.error(`error: cannot run \`${program}\`: ${error.message}`);
  process.exitCode = 3;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 128 + constants.signals[signal];
});

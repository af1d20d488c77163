// How each client is started without a person, and what it must send.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const TOOLS = [
  "runbook_pack", "recall", "context_pack", "notebook_pack", "notebook_edit", "notebook_suggest", "anchor", "anchor_repair",
  "molecule", "bead", "document",
];

const CLAIM = { tool: /windlass.*molecule$/, args: { action: "claim" } };

/** Marks in the first request to the model, by what they prove. */
const COMMON = {
  "AGENTS.md": ["The mark of AGENTS.md.", "This repository uses Windlass"],
  "skill listed": ["Restores and refreshes what is known"],
  "start pack": ["Anchors  fresh", "line number 10"],
};

const INSTRUCTIONS = ["keeps what is known about a repository tied to evidence"];

/** Text of the skill behind its header. */
const SKILL_BODY = "Each job is a tool of the MCP server";

function settings(sandbox, file, text) {
  const path = join(sandbox.home, file);
  mkdirSync(join(path, ".."), { recursive: true });
  writeFileSync(path, text);
}

const claude = {
  actor: "claude-code",
  version: ["claude", "--version"],
  set_up: (sandbox) => sandbox.windlass("init", "--mcp", "claude"),
  script: [CLAIM, { tool: /^Skill$/, args: { skill: "windlass" } }],
  env: (url) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
  }),
  start: () => ["claude", "-p", "Begin.", "--dangerously-skip-permissions"],
  marks: { ...COMMON, "CLAUDE.md": ["The mark of CLAUDE.md."], "server instructions": INSTRUCTIONS },
  skill_body: true,
};

/** The plugin in a repository that is not set up: its server is given no root, and serves the one the client offers. */
const plugin = {
  ...claude,
  set_up: () => {},
  script: [CLAIM, { tool: /^Skill$/, args: { skill: "windlass:windlass" } }],
  start: (_, root) => [...claude.start(), "--plugin-dir", join(root, "clients/claude-code")],
  checks: (root) => [
    ["claude", "plugin", "validate", join(root, "clients/claude-code")],
    ["claude", "plugin", "validate", root],
  ],
  marks: {
    "CLAUDE.md": ["The mark of CLAUDE.md."],
    "skill listed": COMMON["skill listed"],
    "start pack": COMMON["start pack"],
    "server instructions": INSTRUCTIONS,
  },
};

const codex = {
  actor: "codex-mcp-client",
  version: ["codex", "--version"],
  set_up(sandbox) {
    sandbox.windlass("init", "--mcp", "codex");
    settings(
      sandbox,
      ".codex/config.toml",
      `model = "stub"\nmodel_provider = "stub"\n[projects."${sandbox.root}"]\ntrust_level = "trusted"\n`,
    );
  },
  script: [CLAIM],
  env: () => ({ STUB_KEY: "none" }),
  start: (url) => [
    "codex", "exec",
    "-c", `model_providers.stub={name="stub", base_url="${url}/v1", env_key="STUB_KEY", wire_api="responses"}`,
    "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "Begin.",
  ],
  marks: COMMON,
};

const gemini = {
  actor: "gemini-cli-mcp-client",
  version: ["gemini", "--version"],
  set_up(sandbox) {
    sandbox.windlass("init", "--mcp", "gemini");
    settings(sandbox, ".gemini/trustedFolders.json", JSON.stringify({ [sandbox.root]: "TRUST_FOLDER" }));
    settings(
      sandbox,
      ".gemini/settings.json",
      JSON.stringify({
        security: { auth: { selectedType: "gemini-api-key" } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    );
  },
  script: [CLAIM, { tool: /^activate_skill$/, args: { name: "windlass" } }],
  env: (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: "none" }),
  start: () => ["gemini", "--model", "gemini-2.5-flash", "--yolo", "--prompt", "Begin."],
  marks: { ...COMMON, "GEMINI.md": ["The mark of GEMINI.md."], "server instructions": INSTRUCTIONS },
  skill_body: true,
};

/**
 * OpenCode has no hooks in files: its claims end with their leases. It loads the text of a skill by ripgrep, which it
 * downloads, so that only the list of skills is checked.
 */
const opencode = {
  actor: "opencode",
  version: ["opencode", "--version"],
  set_up(sandbox) {
    sandbox.windlass("init", "--mcp", "opencode");
    const provider = {
      npm: "@ai-sdk/anthropic",
      options: { baseURL: "{env:STUB_URL}/v1", apiKey: "none" },
      models: { stub: { name: "stub" } },
    };
    const own = { provider: { stub: provider }, model: "stub/stub", small_model: "stub/stub", autoupdate: false };
    settings(sandbox, ".config/opencode/opencode.json", JSON.stringify(own));
  },
  script: [CLAIM],
  env: (url) => ({ STUB_URL: url }),
  start: () => ["opencode", "run", "Begin."],
  marks: {
    "AGENTS.md": COMMON["AGENTS.md"],
    "skill listed": COMMON["skill listed"],
    "server instructions": INSTRUCTIONS,
  },
  keeps_claim: true,
};

export const SCENARIOS = { claude, "claude-plugin": plugin, codex, gemini, opencode };

/** Returns what a scenario lacks; empty if it has all. */
export function faults(scenario, sent, ended) {
  const found = [];
  const main = sent.find((request) => request.tools.length > 0);
  if (!main) return [`no request with tools; the client ended with ${ended.code}: ${ended.printed.slice(-2000)}`];
  const missing = TOOLS.filter((tool) => !main.tools.some((name) => name.includes("windlass") && name.endsWith(tool)));
  if (missing.length > 0) found.push(`tools not listed: ${missing.join(", ")}`);
  for (const [name, marks] of Object.entries(scenario.marks)) {
    const absent = marks.filter((mark) => !main.text.includes(mark));
    if (absent.length > 0) found.push(`${name}: the first request lacks "${absent.join('", "')}"`);
  }
  const results = sent.at(-1).results;
  if (!/token/.test(results[0] ?? "")) found.push(`the claim failed: ${results[0]}`);
  if (scenario.skill_body && !results.some((result) => result.includes(SKILL_BODY)) && !sent.at(-1).text.includes(SKILL_BODY)) {
    found.push("the skill is not loaded");
  }
  if (ended.code !== 0) found.push(`the client ended with ${ended.code}: ${ended.printed.slice(-2000)}`);
  return found;
}

// Sorts commits by what they change, as their subjects say it.
import { Failure, plugin } from "./windlass.js";

// In the order of release notes. Words that others use for the same stand beside them.
const SORTS = [
  ["feat", "Features", ["feature"]],
  ["fix", "Fixes", ["bugfix", "hotfix"]],
  ["perf", "Faster", ["performance"]],
  ["revert", "Taken back", []],
  ["refactor", "Inside", []],
  ["docs", "Documentation", ["doc"]],
  ["test", "Tests", ["tests"]],
  ["build", "Build and dependencies", ["deps"]],
  ["ci", "CI", []],
  ["style", "Layout", []],
  ["chore", "Chores", []],
];
const SORT_OF = new Map(SORTS.flatMap(([sort, , others]) => [sort, ...others].map((word) => [word, sort])));

// `feat(parser)!: read more`
const CONVENTIONAL = /^(?<word>[a-zA-Z]+)(?:\((?<scope>[^()]+)\))?(?<bang>!)?:\s+(?<what>\S.*)$/u;
// `net/http, cli: read more`, as in Go, Linux and many others
const SCOPED = /^(?<scope>[\w.*{}\/-]+(?:,\s*[\w.*{}\/-]+)*)(?<bang>!)?:\s+(?<what>\S.*)$/u;
const REVERT = /^Revert "(?<what>.*)"$/u;

function read({ commit, subject, author }) {
  const known = { commit, ...(author === undefined ? {} : { author }) };
  const reverted = REVERT.exec(subject)?.groups;
  if (reverted) return { ...known, sort: "revert", scopes: [], what: reverted.what, breaking: false };
  const found = CONVENTIONAL.exec(subject)?.groups;
  const sort = SORT_OF.get(found?.word.toLowerCase());
  if (sort !== undefined) {
    return { ...known, sort, scopes: split(found.scope), what: found.what, breaking: found.bang === "!" };
  }
  const scoped = SCOPED.exec(subject)?.groups;
  if (scoped) {
    return { ...known, sort: "other", scopes: split(scoped.scope), what: scoped.what, breaking: scoped.bang === "!" };
  }
  return { ...known, sort: "other", scopes: [], what: subject, breaking: false };
}

const split = (scopes) => (scopes ?? "").split(",").map((scope) => scope.trim()).filter((scope) => scope !== "");

const by = (key) => (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0);

function run({ entries, sorts }) {
  const unknown = (sorts ?? []).find((sort) => sort !== "other" && SORT_OF.get(sort) !== sort);
  if (unknown !== undefined) {
    const known = [...SORTS.map(([sort]) => sort), "other"].join(", ");
    throw new Failure("invalid", `there is no sort \`${unknown}\`; there are ${known}`);
  }
  const all = entries.map(read);
  const commits = sorts === undefined ? all : all.filter(({ sort }) => sorts.includes(sort));
  const groups = [...SORTS, ["other", "Other", []]].flatMap(([sort, title]) => {
    const own = commits.filter((commit) => commit.sort === sort);
    if (own.length === 0) return [];
    const told = own.map(({ sort: _, ...rest }) => rest);
    return [{ label: `${title}: ${own.length}`, sort, title, commits: told }];
  });
  const counts = new Map();
  for (const scope of commits.flatMap(({ scopes }) => scopes)) counts.set(scope, (counts.get(scope) ?? 0) + 1);
  const scopes = [...counts].map(([scope, count]) => ({ scope, count }));
  const breaking = commits.filter((commit) => commit.breaking).map(({ commit, what }) => ({ commit, what }));
  const has = (sort) => commits.some((commit) => commit.sort === sort);
  const bump = breaking.length > 0 ? "major" : has("feat") ? "minor" : has("fix") || has("perf") ? "patch" : "none";
  return {
    groups,
    breaking,
    scopes: scopes.sort(by(({ scope }) => scope)).sort((a, b) => b.count - a.count),
    bump,
    total: commits.length,
  };
}

const text = (description) => ({ description, type: "string" });
const list = (description, items) => ({ description, type: "array", items });
const object = (properties, optional = []) => ({
  type: "object",
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});

const COMMIT = {
  commit: text("The commit."),
  author: text("Who wrote it."),
  scopes: list("What parts it is about.", { type: "string" }),
  what: text("What it does."),
  breaking: { description: "Whether it says that others have to change.", type: "boolean" },
};

export const handler = plugin({
  name: "commits",
  version: "1.0.0",
  purpose: "sort commits by what they change, as their subjects say it",
  purity: "pure",
  main: "groups",
  input: {
    ...object(
      {
        entries: list(
          "The commits, as a `git` step with `show: log` gives them.",
          object({ commit: text("The commit."), subject: text("Its subject."), author: text("Who wrote it.") }, ["author"]),
        ),
        sorts: list("Only commits of these sorts; all if not said.", { type: "string" }),
      },
      ["sorts"],
    ),
    additionalProperties: false,
  },
  output: object({
    groups: list(
      "The commits by sort, in the order of release notes.",
      object({
        label: text("The sort, and how many commits."),
        sort: text("`feat`, `fix` and so on; `other` for what says no sort."),
        title: text("The sort, for people."),
        commits: list("The commits, in their order.", object(COMMIT, ["author"])),
      }),
    ),
    breaking: list("The commits that say that others have to change.", object({ commit: COMMIT.commit, what: COMMIT.what })),
    scopes: list("The parts that commits are about, those of most commits first.", object({ scope: { type: "string" }, count: { type: "integer" } })),
    bump: text("Which part of a semantic version goes up by that: `major`, `minor`, `patch` or `none`."),
    total: { description: "How many commits were sorted.", type: "integer" },
  }),
  run,
});

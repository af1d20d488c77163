# What the scripts of this folder share: the official testers, from npm, with a node that runs them.
# They are kept in target/conformance. Nothing here is run by `cargo test` or by CI.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
kept=${CARGO_TARGET_DIR:-$root/target}/conformance
windlass=${WINDLASS:-${CARGO_TARGET_DIR:-$root/target}/debug/windlass}

skip() {
  echo "skipped: $1" >&2
  exit 0
}

command -v npm >/dev/null || skip "npm is not installed; the official testers come from its registry"
[ -x "$windlass" ] || skip "$windlass is not there; build it first (cargo build), or name one with WINDLASS"

mkdir -p "$kept"
if ! [ -x "$kept/node_modules/.bin/conformance" ]; then
  (cd "$kept" && npm init -y && npm install --no-audit --no-fund \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/inspector@2.12.0 node@22) \
    >"$kept/install.log" 2>&1 || skip "the official testers cannot be installed; $kept/install.log says why"
fi
export PATH="$kept/node_modules/.bin:$PATH"

# A repository with two anchors and a runbook, in a folder that is gone afterwards, with a home of its own.
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME="$work/home" GIT_CONFIG_NOSYSTEM=1
unset XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME XDG_CONFIG_HOME BD_ACTOR
mkdir -p "$HOME" "$work/repo/src" "$work/repo/runbooks" "$work/repo/.beads/formulas"
cd "$work/repo"
git init --quiet --initial-branch=main
git config user.name Test
git config user.email test@example.org
seq -f 'line number %g' 60 >src/routes.rs
cat >runbooks/api.yaml <<'YAML'
schema_version: 1
id: api
title: API
steps:
  - { id: anchors, uses: anchors, with: { ids: [routes] } }
outputs:
  - { id: anchors, title: Anchors, from: anchors }
YAML
cat >.beads/formulas/ship.formula.toml <<'TOML'
formula = "ship"
version = 1
[[steps]]
id = "build"
title = "Build"
TOML
cat >playbook.json <<'JSON'
{ "vContextInfo": { "version": "0.4" },
  "playbook": { "version": 1, "created": "2026-01-02T03:04:05Z", "updated": "2026-01-02T03:04:05Z", "items": [] } }
JSON
git add --all
git commit --quiet -m first
"$windlass" --quiet anchor add routes src/routes.rs:10-14
"$windlass" --quiet memory init >/dev/null

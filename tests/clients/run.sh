#!/usr/bin/env bash
# Drives the real clients, from npm, against a stand-in for their models, and checks what they send: see run.mjs.
# The clients are kept in the target folder. Nothing leaves the machine: the stand-in is also the proxy of the clients, and
# they run in a network of their own where the system allows it.
# Usage: run.sh [CLIENT…]
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
target=$(realpath -m "${CARGO_TARGET_DIR:-$root/target}")
tools=$target/tools/clients
windlass=$(realpath -m "${WINDLASS:-$target/debug/windlass}")

skip() {
  echo "skipped: $1" >&2
  exit 0
}

[ "$(uname -s)" = Linux ] || skip "the clients are driven on Linux only"
for program in node npm; do
  command -v "$program" > /dev/null || skip "$program is not installed; the clients come from npm"
done
[ "$(node -p 'process.versions.node.split(".")[0] >= 20')" = true ] || skip "the clients need node 20 or newer"
[ -x "$windlass" ] || skip "$windlass is not there; build it first (cargo build), or name one with WINDLASS"

# Of the scripts of packages only those are run that put a binary in its place.
install_clients() {
  rm -rf "$tools" && mkdir -p "$tools" && cd "$tools" && cp "$here/package.json" . &&
    timeout 300 npm install --no-audit --no-fund --ignore-scripts &&
    (cd node_modules/@anthropic-ai/claude-code && node install.cjs) &&
    (cd node_modules/opencode-ai && node postinstall.mjs)
}
if ! cmp -s "$here/package.json" "$tools/installed"; then
  (install_clients) > "$target/clients.log" 2>&1 || skip "the clients cannot be installed; $target/clients.log says why"
  cp "$here/package.json" "$tools/installed"
fi

isolated=()
if unshare --map-root-user --net ip link set lo up 2> /dev/null; then
  isolated=(unshare --map-root-user --net sh -c 'ip link set lo up && exec "$@"' sh)
fi
PATH="$tools/node_modules/.bin:$PATH" exec "${isolated[@]}" node "$here/run.mjs" "$windlass" "$target/clients" "$root" "$@"

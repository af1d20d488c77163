#!/usr/bin/env bash
# The official conformance suite over HTTP. Scenarios that ask for tools, prompts or resources of a fixture server, or for what
# this server does not offer (logging, completion, subscriptions, sampling, elicitation, tasks), are left out.
# Usage: conformance.sh [SCENARIO…]
. "$(dirname "$0")/tools.sh"

scenarios=("$@")
if [ ${#scenarios[@]} = 0 ]; then
  scenarios=(server-initialize server-session-lifecycle server-stateless ping tools-list resources-list prompts-list
    sep-2164-resource-not-found dns-rebinding-protection caching http-header-validation
    server-sse-multiple-streams input-required-result-unsupported-methods)
fi

token=conformance-0123456789
WINDLASS_MCP_TOKEN=$token "$windlass" mcp --http 127.0.0.1:0 2>"$work/served" &
until grep -q '^serving ' "$work/served"; do sleep 0.1; done
node "$here/door.mjs" "$(sed -n 's/^serving //p' "$work/served")" "$token" >"$work/door" &
until [ -s "$work/door" ]; do sleep 0.1; done
url=$(cat "$work/door")

failed=0
for scenario in "${scenarios[@]}"; do
  conformance server --url "$url" --scenario "$scenario" -o "$work/results/$scenario" >"$work/stdout" 2>&1 || true
  node "$here/judge.mjs" "$scenario" "$work/results/$scenario" || failed=1
done
exit $failed

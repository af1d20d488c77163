#!/usr/bin/env bash
# Every tool over standard input and output, by the official inspector, in both eras of the protocol.
. "$(dirname "$0")/tools.sh"

failed=0
ask() { # ERA ARGUMENTS…
  mcp-inspector --cli "$windlass" mcp -e BD_ACTOR=crew/ann --format json --protocol-era "$@" 2>"$work/stderr"
}
tool() { # ERA TOOL ARGUMENTS: must not fail
  if ask "$1" --method tools/call --tool-name "$2" --tool-args-json "$3" >"$work/stdout"; then
    echo "ok    $1 $2 $3"
  else
    failed=1
    echo "FAIL  $1 $2 $3"
    head -c 2000 "$work/stdout" "$work/stderr"
  fi
}
field() { # NAME: a field of what the last tool gave as data
  node -e 'const all = JSON.parse(require("fs").readFileSync(0)); const data = all.structuredContent ?? all.result.structuredContent;
    console.log(process.argv[1].split(".").reduce((value, name) => value[name], data))' "$1" <"$work/stdout"
}

for era in legacy modern; do
  for method in tools/list resources/list resources/templates/list prompts/list; do
    strict=
    [ "$method" = tools/list ] && strict=--strict
    if ask "$era" --method "$method" $strict >"$work/stdout"; then
      echo "ok    $era $method"
    else
      failed=1
      echo "FAIL  $era $method"
      cat "$work/stderr"
    fi
  done
  ask "$era" --method resources/read --uri windlass://pack/api >"$work/stdout" || failed=1
  ask "$era" --method prompts/get --prompt-name resume >"$work/stdout" || failed=1
  tool $era runbook_pack '{"runbook":"api"}'
  tool $era recall '{"query":"which routes are there?"}'
  tool $era notebook_pack '{}'
  tool $era notebook_edit '{"operations":[{"op":"upsert_anchor","anchor":{"id":"more","at":["src/routes.rs:20-22"]}}]}'
  tool $era notebook_suggest '{"action":"preview"}'
  tool $era anchor '{"action":"check"}'
  tool $era anchor '{"action":"show","ids":["routes"]}'
  tool $era anchor '{"action":"impact"}'
  tool $era anchor_repair '{"dry_run":true}'
  tool $era context_pack '{"action":"build","goal":"Serve more routes"}'
  pack=$(field packId)
  tool $era context_pack "{\"action\":\"rebuild\",\"pack\":\"$pack\"}"
  tool $era bead '{"action":"create","title":"Write it down"}'
  bead=$(field id)
  tool $era bead "{\"action\":\"close\",\"id\":\"$bead\",\"reason\":\"done\"}"
  tool $era molecule '{"action":"pour","formula":"ship"}'
  mol=$(field next_actions.0.args.mol)
  tool $era molecule "{\"action\":\"claim\",\"mol\":\"$mol\"}"
  token=$(field token)
  tool $era molecule "{\"action\":\"complete\",\"mol\":\"$mol\",\"step\":\"build\",\"token\":\"$token\"}"
  tool $era document '{"action":"append","file":"playbook.json","target":"'$era'-rule","kind":"rule","text":"Keep it short."}'
  tool $era document '{"action":"show","file":"playbook.json"}'
done
exit $failed

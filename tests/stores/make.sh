#!/usr/bin/env bash
# make.sh WINDLASS VERSION: writes tests/stores/fixtures/VERSION with that build, once for each release.
#
#   commit, cursor      the name of that commit, and the cursor of a pack that was cut
#   plugin              the digest of the shipped plugin that was used, which is not copied
#   home/, git/, repo/  what it left: the user's folders, git's common folder below windlass/, the working tree
#   tree/               the first commit, which is made again with the same name wherever the fixtures are placed
#
# Names that begin with a dot begin with `dot-` here, so that no `.gitignore` counts. In texts the places of the repository are
# replaced by @FOLDER@, @REPO_ID@, @FINGERPRINT@ and @BIRTH@. `NAME.blob` is a blob without its first 32 bytes, the digest of the rest.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
windlass=$(realpath "$1")
out=$here/fixtures/$2
work=$(realpath "$(mktemp -d)")
trap 'rm -rf "$work"' EXIT
path=$PATH
mkdir "$work/repo" "$work/home"
cd "$work/repo"

isolated() {
  env -i PATH="$path" HOME="$work/home" LC_ALL=C GIT_CONFIG_NOSYSTEM=1 BD_ACTOR=ann \
    GIT_AUTHOR_NAME=Test GIT_AUTHOR_EMAIL=test@example.org GIT_AUTHOR_DATE=2026-01-02T03:04:05Z \
    GIT_COMMITTER_NAME=Test GIT_COMMITTER_EMAIL=test@example.org GIT_COMMITTER_DATE=2026-01-02T03:04:05Z "$@"
}
w() { isolated "$windlass" --quiet "$@" >"$work/last"; }
field() { grep -o "\"$1\": *\"[^\"]*\"" "$work/last" | head -n 1 | cut -d '"' -f 4; }

cp -R "$here/tree/." .
isolated git init --quiet --initial-branch=main
isolated git add --all
isolated git commit --quiet -m first
mkdir -p plugins/codeowners
cp "$here"/../../plugins/codeowners/codeowners.wasm* plugins/codeowners/

# Notebook, its history, and the shared anchors.
w anchor add depth src/tide.rs#depth --kind contract --label 'Depth of water' --tag water
w anchor add enter src/tide.rs:9-12 --kind entrypoint
w anchor add readme README.md:1-3
printf '{"operations":[{"op":"upsert_runbook","runbook":"schema_version: 1\\nid: saved\\nsteps:\\n  - { id: s, uses: anchors }\\noutputs:\\n  - { id: s, title: All, from: s }\\n"}]}' >"$work/edit.json"
w notebook edit "$work/edit.json"
w notebook export
# Trust, records of runs, and a pack that was cut.
w trust programs
w run programs
w run tides
w run tides --max-chars 500 --format json
cursor=$(field next_cursor)
# Results of a pure plugin.
w run owners
# Beads, mail, hooks, agents, routes and molecules.
w bead create 'Dredge the basin' --id zq-one -p 1 -l water -d 'It is silted.'
w bead create 'Measure it' --id zq-two --needs zq-one
w bead create 'Paint it' --id zq-three
w bead claim zq-one
w bead close zq-three --reason done
w mail send bob --subject 'The basin' --body 'It is deep now.' --bead zq-one
w hook set bob bead:zq-two
w route add hq "$work/home" --rig town
w agent start --session s1 --profile coder
w mol pour feature --title Tides --format json
mol=$(field id)
w mol claim "$mol" design --format json
w mol complete "$mol" design --token "$(field token)" -o '{"ok":true}'
w events sync
# The memory, and its index.
w memory init --project harbour
w memory remember decision 'One table owns the tides' --text 'Two tables disagreed at neap tide.' --keyword tide
w memory remember open-loop 'Count the sill' --text 'The depth ignores the sill.' --id sill
w memory recall 'who owns the tides'
w memory feedback helpful --query 'who owns the tides' --id sill
# Context packs.
w pack build 'Count the sill' --file src/tide.rs --format json
# Documents.
w doc new playbook --title Rope --out playbook.json
w doc playbook append playbook.json rope --kind learning --text 'Rope rots.'
w doc new todo --title Work --out tasks.tron
w doc item add tasks.tron 'Buy rope' --id rope
# Where text was followed to, and verdicts.
{ printf '//! More of it.\n' && cat src/tide.rs; } >"$work/edited" && cat "$work/edited" >src/tide.rs
w anchor check || true

rm -rf "$out"
mkdir -p "$out"
cp -R "$here/tree" "$out/tree"
cp -R "$work/home" "$out/home"
cp -R "$work/repo/.git/windlass" "$out/git"
cp -R "$work/repo" "$out/repo"
# Compiled code is of one machine. The plugin is a shipped one.
rm -rf "$out/repo/.git" "$out"/repo/plugins "$out"/home/.cache/windlass/plugins/code
find "$out" -name '*.lock' -empty -delete
git -C "$work/repo" rev-parse HEAD >"$out/commit"
echo "$cursor" >"$out/cursor"
cp plugins/codeowners/codeowners.wasm.sha256 "$out/plugin"

repo_id=$(basename "$out"/home/.local/share/windlass/repos/*)
fingerprint=$(sed -n 's/.*"root_fingerprint": *"\([^"]*\)".*/\1/p' "$out"/home/.local/share/windlass/repos/*/notebook.json | head -n 1)
find "$out" -type f \( -path '*/packs/*' -o -path '*/context/*' \) | while read -r path; do
  tail -c +33 "$path" >"$path.blob"
  rm "$path"
done
find "$out" -type f -exec grep -Iq . {} \; -print | while read -r path; do
  sed -i "s|$work|@FOLDER@|g; s|$repo_id|@REPO_ID@|g; s|$fingerprint|@FINGERPRINT@|g" "$path"
  sed -i 's|"birth":{"inode":[0-9]*,"created":[0-9]*}|"birth":@BIRTH@|' "$path"
done
find "$out" -depth \( -name '.?*' -o -name "$repo_id" \) | while read -r path; do
  name=$(basename "$path" | sed "s/^\./dot-/; s/$repo_id/@REPO_ID@/")
  mv "$path" "$(dirname "$path")/$name"
done

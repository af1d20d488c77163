#!/bin/sh
# Made by `windlass init --hook`: before each commit, brings the files of the ledger up to date, and reports evidence
# that the change makes stale. Anchors whose text only moved do not hold the commit back: a repair follows them later.
# It checks the committed files as they are in the working tree, even if that differs from the staged content.
# `git commit --no-verify` skips it; delete this file to remove it.
command -v windlass >/dev/null 2>&1 || exit 0
if [ -f .beads/events.jsonl ] && windlass events sync >/dev/null; then
  git add -u -- ':(glob).beads/*.jsonl' 2>/dev/null
fi
if ! git diff --quiet; then
  echo 'windlass: some changes are not staged, so the report may differ from the commit' >&2
fi
git diff --cached --quiet && exit 0
git diff --cached --name-only --no-renames -z | xargs -0 windlass impact --allow-moved -- && exit 0
echo "windlass: the commit is held back; repair the listed evidence, or skip this check with \`git commit --no-verify\`" >&2
exit 1

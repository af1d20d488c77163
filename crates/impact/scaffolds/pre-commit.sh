#!/bin/sh
# Made by `windlass init --hook`: before each commit, brings the files of the ledger up to date, and says what the
# change makes stale.
# It looks at the files that are committed, as they lie in the working tree, also where that is not what is staged.
# `git commit --no-verify` goes around it; delete this file to be rid of it.
command -v windlass >/dev/null 2>&1 || exit 0
if [ -f .beads/events.jsonl ] && windlass events sync >/dev/null; then
  git add -u -- ':(glob).beads/*.jsonl' 2>/dev/null
fi
if ! git diff --quiet; then
  echo 'windlass: some of what is looked at is not staged, so this commit may leave stale what is not told here' >&2
fi
git diff --cached --quiet && exit 0
git diff --cached --name-only --no-renames -z | xargs -0 windlass impact -- && exit 0
echo 'windlass: this commit is held back; mend what is named, or go around with `git commit --no-verify`' >&2
exit 1

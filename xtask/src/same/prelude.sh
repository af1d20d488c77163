# Functions for the lines of commands.txt. The current folder is the section's repository, $SHARED a folder beside it.
touch "$SHARED/last" "$SHARED/values" "$SHARED/stdin"
. "$SHARED/values"

# Commits everything, a minute after the commit before.
commit() {
  at=$(git rev-list --count HEAD 2>/dev/null || echo 0)
  GIT_AUTHOR_DATE="2025-01-02T03:$(printf %02d "$at"):05Z" && GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
  export GIT_AUTHOR_DATE GIT_COMMITTER_DATE
  git add --all && git commit --quiet --allow-empty -m "$1"
}

# Makes the current folder a git repository with what is in it.
repository() {
  git init --quiet --initial-branch=main && commit first
}

# The sample repository: a service in several languages with runbooks, formulas and documents.
harbour() {
  cp -R "$SOURCE/xtask/tests/harbour/." . && repository
}

# First value of a field of JSON in the output of the last command.
field() {
  grep -o "\"$1\": *\"[^\"]*\"" "$SHARED/last" | head -n 1 | cut -d '"' -f 4
}

# Replaces the names of context packs, and how long they are: drawn names in them have more or fewer tokens.
without_packs() {
  sed -E 's/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/<pack>/g; s/"(used|whole)":[0-9]+/"\1":N/g'
}

# Keeps that value under a name, for the lines below: `keep MOL id`, then `$MOL`.
keep() {
  value=$(field "$2") && [ -n "$value" ] && echo "$1='$value'" >>"$SHARED/values"
}

# Puts text in place of a text of a file: `edit FILE s/old/new/`; it has to change something.
edit() {
  sed "$2" "$1" >"$SHARED/edited" && ! cmp -s "$1" "$SHARED/edited" && cat "$SHARED/edited" >"$1"
}

# Answer of the MCP server to one request in a session: `rpc METHOD [PARAMS]`.
rpc() {
  hello='{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"same","version":"1"}}'
  [ -n "$2" ] && params=$2 || params='{}'
  printf '{"jsonrpc":"2.0","id":1,"method":"initialize","params":%s}\n' "$hello" >"$SHARED/stdin"
  printf '{"jsonrpc":"2.0","method":"notifications/initialized"}\n' >>"$SHARED/stdin"
  printf '{"jsonrpc":"2.0","id":2,"method":"%s","params":%s}\n' "$1" "$params" >>"$SHARED/stdin"
  windlass mcp <"$SHARED/stdin" | sed 1d
}

# Result of a tool: `tool NAME ARGUMENTS`.
tool() {
  rpc tools/call "{\"name\":\"$1\",\"arguments\":$2}"
}

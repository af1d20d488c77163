#!/usr/bin/env bash
# Checks a change for stale evidence: the program of the GitHub Action in `action.yml`.
#
# It runs anywhere with git and bash. In the environment it reads the inputs of the action (`INPUT_…`), `PULL_REQUEST`,
# and GitHub's `GITHUB_REPOSITORY`, `GITHUB_STEP_SUMMARY` and `GITHUB_OUTPUT`, all of which may be missing.
# Exit code: 0 nothing to report, 1 stale evidence (see `INPUT_FAIL_ON`), 2 the check could not be made.
set -euo pipefail

marker='<!-- windlass impact -->'
releases=https://github.com/windlass-dev/windlass/releases/download

# A message is one line for GitHub's log; `%` and line ends have to be encoded there.
log() {
  local text=${2//\%/%25}
  text=${text//$'\r'/%0D}
  echo "::$1::${text//$'\n'/%0A}" >&2
}

fail() {
  log error "$1"
  exit 2
}

# Prints a file. Lines that look like commands to the runner have no effect.
print_file() {
  local stop
  stop=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$stop"
  cat -- "$1"
  echo "::$stop::"
}

sha256_of() {
  if command -v sha256sum > /dev/null; then
    sha256sum -- "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 -- "$1" | cut -d ' ' -f 1
  fi
}

# Prints the pattern of release archives for this machine.
archive_pattern() {
  local system=${RUNNER_OS:-$(uname -s)} processor=${RUNNER_ARCH:-$(uname -m)}
  case $processor in
    X64 | x86_64 | amd64) processor=x86_64 ;;
    ARM64 | arm64 | aarch64) processor=aarch64 ;;
    *) fail "there is no release for the processor \`$processor\`; build windlass and pass its path as \`binary\`" ;;
  esac
  case $system in
    Linux) echo "windlass[^/ ]*$processor-unknown-linux-(musl|gnu)[.]tar[.](xz|gz)" ;;
    macOS | Darwin) echo "windlass[^/ ]*$processor-apple-darwin[.]tar[.](xz|gz)" ;;
    Windows | MINGW* | MSYS*) echo "windlass[^/ ]*$processor-pc-windows-(msvc|gnu)[.]zip" ;;
    *) fail "there is no release for the system \`$system\`; build windlass and pass its path as \`binary\`" ;;
  esac
}

download() {
  curl --proto '=https,file' --tlsv1.2 --fail --silent --show-error --location --retry 3 --output "$2" -- "$1" ||
    fail "cannot download $1"
}

# Installs the release into the folder `$1`, and sets `windlass`.
install_release() {
  local into=$1 version=${INPUT_VERSION:-} from pattern line archive expected actual
  [[ $version =~ ^[0-9]+(\.[0-9]+){2}([.+-][0-9A-Za-z.+-]+)?$ ]] ||
    fail "the version \`$version\` is not a release: write it as \`0.1.0\`"
  from=${INPUT_MIRROR:-$releases/v$version}
  pattern=$(archive_pattern)
  mkdir -p "$into"
  download "$from/SHA256SUMS" "$into/SHA256SUMS"
  line=$(grep -E "^[0-9a-f]{64} [ *]$pattern\$" "$into/SHA256SUMS" | head -n 1) ||
    fail "the release $version has no archive for this machine; pass the path of a \`windlass\` as \`binary\`"
  archive=${line:66}
  expected=$(tr 'A-F' 'a-f' <<< "${INPUT_SHA256:-${line:0:64}}")
  download "$from/$archive" "$into/$archive"
  actual=$(sha256_of "$into/$archive")
  [[ $actual == "$expected" ]] || fail "the sum of $archive is $actual, not $expected: it was not installed"
  case $archive in
    *.zip) unzip -q "$into/$archive" -d "$into" ;;
    *) tar -xf "$into/$archive" -C "$into" ;;
  esac
  windlass=$(find "$into" -type f \( -name windlass -perm -u+x -o -name windlass.exe \) | head -n 1)
  [[ -n $windlass ]] || fail "$archive contains no program \`windlass\`"
  chmod +x "$windlass"
}

# Runs a command of windlass, whose report of format `$2` goes to the file `$1`. Returns 0 or 1 as the command does.
report() {
  local into=$1 format=$2 code=0
  shift 2
  "$windlass" "$@" --format "$format" > "$into" || code=$?
  # A failed command prints no report.
  if ((code > 1)) || [[ ! -s $into ]]; then
    fail "\`windlass $*\` failed with exit code $code; its message is above"
  fi
  return "$code"
}

# Prints the line of a comment about all documents, from the report `$1`.
about_all() {
  local job
  printf '\nAll documents: %s' "$(sed -n 4p "$1")"
  if [[ -n ${GITHUB_RUN_ID:-} ]]; then
    job=${GITHUB_SERVER_URL:-https://github.com}/${GITHUB_REPOSITORY:?}/actions/runs/$GITHUB_RUN_ID
    printf ' ([details](%s))' "$job"
  fi
  echo
}

# Creates or updates the one comment on the pull request from the file `$1`. A change without findings gets none.
comment() {
  local body=$1 has_findings=$2 comments id method path
  comments=repos/${GITHUB_REPOSITORY:?}/issues/$PULL_REQUEST
  if ! id=$(gh api --paginate "$comments/comments" --jq \
    ".[] | select(.user.type == \"Bot\") | select(.body | startswith(\"$marker\")) | .id"); then
    log warning 'the comments of the pull request cannot be read; the report is in the summary of the job'
    return 0
  fi
  id=${id%%$'\n'*}
  if [[ -n $id ]]; then
    method=PATCH path=repos/$GITHUB_REPOSITORY/issues/comments/$id
  elif [[ $has_findings == true ]]; then
    method=POST path=$comments/comments
  else
    return 0
  fi
  gh api --method "$method" "$path" --field "body=@$body" --silent ||
    log warning 'no comment was written, as in pull requests of forks; the report is in the summary of the job'
}

main() {
  local out base=${INPUT_BASE:-} fail_on=${INPUT_FAIL_ON:-change} is_stale=false is_stale_before=false sarif
  local has_findings=false
  PULL_REQUEST=${PULL_REQUEST:-}
  [[ $PULL_REQUEST =~ ^[0-9]*$ ]] || fail "the pull request \`$PULL_REQUEST\` is not a number"
  [[ $fail_on =~ ^(change|any|never)$ ]] || fail "\`fail-on\` is \`$fail_on\`: write \`change\`, \`any\` or \`never\`"
  out=$(mktemp -d "${RUNNER_TEMP:-${TMPDIR:-/tmp}}/windlass.XXXXXX")
  windlass=${INPUT_BINARY:-}
  [[ -n $windlass ]] || install_release "$out/release"
  "$windlass" --version || fail "\`$windlass\` cannot be run"
  if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
    fail "the history is cut off: set \`fetch-depth: 0\` in the step \`actions/checkout\`"
  fi

  # A new branch has no state before the push.
  [[ $base =~ ^0*$ ]] && base=
  if [[ -n $base ]]; then
    report "$out/impact.md" markdown impact "--base=$base" || is_stale=true
    report "$out/impact.sarif" sarif impact "--base=$base" || true
  else
    printf '%s\n### Evidence\n\nThere is no revision to compare with, so only the documents were checked.\n' \
      "$marker" > "$out/impact.md"
  fi
  report "$out/scan.md" markdown anchor scan || is_stale_before=true
  report "$out/scan.sarif" sarif anchor scan || true
  { cat "$out/impact.md"; echo; cat "$out/scan.md"; } > "$out/summary.md"
  print_file "$out/summary.md"
  cat "$out/summary.md" >> "${GITHUB_STEP_SUMMARY:-/dev/null}"

  # A pull request is about its change, a branch about its present state.
  sarif=$out/scan.sarif
  [[ -n $base && -n $PULL_REQUEST ]] && sarif=$out/impact.sarif
  printf 'stale=%s\nsarif=%s\n' "$is_stale" "$sarif" >> "${GITHUB_OUTPUT:-/dev/null}"
  if [[ -n $PULL_REQUEST && ${INPUT_COMMENT:-true} == true ]]; then
    { cat "$out/impact.md"; about_all "$out/scan.md"; } > "$out/comment.md"
    # Cited text that was edited in place is a finding, and does not fail the job.
    [[ -n $base ]] && grep -q '"ruleId"' "$out/impact.sarif" && has_findings=true
    comment "$out/comment.md" "$has_findings"
  fi

  case $fail_on in
    never) ;;
    any) [[ $is_stale$is_stale_before == falsefalse ]] || exit 1 ;;
    change) [[ $is_stale == false ]] || exit 1 ;;
  esac
}

main

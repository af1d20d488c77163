#!/bin/sh
# Measures the web pages of a large repository: 10,000 beads, 1,000 runs, a graph of 500 steps, 200 anchors.
# Usage: tests/web/large.sh WINDLASS FOLDER [RUNS]
# FOLDER is made on the first call and used again later. Prints for each page the size of the answer and the time to its
# last byte in milliseconds; then the memory of the idle server and the processor time it takes in ten seconds.
set -eu
windlass=$1 folder=$2 runs=${3:-1000}
export HOME="$folder/home" BD_ACTOR=ann
if [ ! -e "$folder/ready" ]; then
  mkdir -p "$folder/home" "$folder/repo/runbooks" "$folder/repo/src"
  cd "$folder/repo"
  git init --quiet
  git config user.name ann
  git config user.email ann@example.org
  for n in $(seq 200); do seq "$n" "$((n + 40))" >"src/$n.txt"; done
  printf 'schema_version: 1\nid: small\nsteps:\n  - { id: a, uses: files, with: { globs: ["src/1.txt"] } }\noutputs:\n  - { id: a, title: Files, from: a }\n' >runbooks/small.yaml
  # Layers of 20 steps; each step needs two of the layer before.
  awk 'BEGIN { print "schema_version: 1\nid: wide\nsteps:"
    for (n = 0; n < 500; n++) {
      needs = ""
      if (n >= 20) needs = sprintf(", needs: [s%d, s%d]", n - 20, n - 20 - n % 20 + (n * 7 + 3) % 20)
      if (n >= 20 && n - 20 == n - 20 - n % 20 + (n * 7 + 3) % 20) needs = sprintf(", needs: [s%d]", n - 20)
      printf "  - { id: s%d, uses: files, with: { globs: [\"src/%d.txt\"] }%s }\n", n, n % 200 + 1, needs
    }
    print "outputs:\n  - { id: last, title: Files, from: s499 }" }' >runbooks/wide.yaml
  git add .
  git commit --quiet -m first
  awk 'BEGIN { for (n = 0; n < 10000; n++) {
    printf "{\"id\":\"x-%d\",\"title\":\"Bead %d\",\"description\":\"Something to do about part %d.\",\"status\":\"open\",\"priority\":%d,\"issue_type\":\"task\",\"created_at\":\"2026-01-02T03:04:05Z\",\"updated_at\":\"2026-01-02T03:04:05Z\",\"created_by\":\"ann\"", n, n, n, n % 5
    if (n % 3 == 2) printf ",\"dependencies\":[{\"issue_id\":\"x-%d\",\"depends_on_id\":\"x-%d\",\"type\":\"blocks\",\"created_at\":\"2026-01-02T03:04:05Z\",\"created_by\":\"ann\"}]", n, n - 1
    print "}" } }' >"$folder/home/beads.jsonl"
  cp "$folder/home/beads.jsonl" beads.in.jsonl
  "$windlass" bead import beads.in.jsonl >/dev/null
  rm beads.in.jsonl
  for n in $(seq 200); do "$windlass" anchor add "a$n" "src/$n.txt:5-9" 2>/dev/null; done
  for n in $(seq "$((runs - 1))"); do "$windlass" run small >/dev/null 2>&1; done
  touch "$folder/ready"
fi
cd "$folder/repo"
"$windlass" run wide >/dev/null 2>&1
: >"$folder/serving"
"$windlass" web --listen 127.0.0.1:0 2>"$folder/serving" &
server=$!
trap 'kill $server' EXIT
until grep -q http "$folder/serving"; do sleep 0.1; done
address=$(sed -n 's/^serving //p' "$folder/serving")
idle() { awk '{ print ($14 + $15) * 10 }' "/proc/$server/stat"; }
# Most of VmRSS is RssFile: pages of the program that the system shares and drops at need. RssAnon is memory of the server.
memory() { awk '/VmRSS|VmHWM|RssAnon|RssFile/ { printf "%s %d kB  ", $1, $2 } END { print "" }' "/proc/$server/status"; }
memory
run=$(curl -s -H 'Accept: application/json' "$address"runs | sed 's/.*"runs":\[{"id":"\([^"]*\)".*/\1/')
for path in assets/style.css assets/windlass.js "" runs "runs?page=15" "runs/$run" "runs/$run/graph" work work/board \
  work/beads "work/beads?state=all&page=150" "work/beads?state=blocked" "work/beads?state=open&q=part+9999" work/events work/mail health memory zoo; do
  curl -s -o /dev/null "$address$path"
  curl -s -o /dev/null -w "%{size_download} %{time_total} /$path\n" "$address$path" | awk '{ printf "%8d bytes %7.0f ms  %s\n", $1, $2 * 1000, $3 }'
done
sleep 3
before=$(idle)
sleep 10
echo "idle: $(($(idle) - before)) ms of processor time in 10 s"
memory

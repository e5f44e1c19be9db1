#!/usr/bin/env bash
# Solves one part of a folder of .jsonl files with a daemon of its own, for schedulers that run many such parts.
#
# Examples:
#   deploy/solve_shard.sh 0 1 instances answers --budget 20ms
#   deploy/solve_shard.sh 3 8 instances answers --budget 1s --model gt-mixed
#
# Usage: solve_shard.sh INDEX COUNT INSTANCES ANSWERS [options of vrpctl solve]
# Part INDEX (from 0) of COUNT solves every COUNT-th file of the folder INSTANCES, in the order of their names, into
# ANSWERS/part-INDEX. Run again after any interruption, it continues. It needs vrpd and vrpctl in PATH. The daemon uses
# the processors that the scheduler gave it.
set -euo pipefail

if (($# < 4)); then
  echo "solve_shard.sh: got $# arguments, wanted INDEX COUNT INSTANCES ANSWERS [options of vrpctl solve]" >&2
  exit 2
fi
index=$1 count=$2 instances=$3 answers=$4
shift 4
if [[ ! "$index$count" =~ ^[0-9]+$ ]] || ((index >= count)); then
  echo "solve_shard.sh: got part $index of $count, wanted a number from 0 to COUNT - 1" >&2
  exit 2
fi

files=()
number=0
for file in "$instances"/*.jsonl; do
  [[ -e "$file" ]] || { echo "solve_shard.sh: $instances: got no .jsonl file, wanted at least one" >&2; exit 2; }
  if ((number++ % count == index)); then files+=("$file"); fi
done
if ((${#files[@]} == 0)); then
  echo "part $index of $count: no files, since there are only $number"
  exit 0
fi

# The socket's path must be short, and the state is of no use after the end.
state=$(mktemp -d "${TMPDIR:-/tmp}/vrpd.XXXXXX")
socket=$(mktemp -u /tmp/vrpd.XXXXXX.sock)
vrpd --listen "unix:$socket" --state-dir "$state" >"$state/log" 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; rm -rf "$state" "$socket"' EXIT
for ((wait = 0; wait < 600; ++wait)); do
  [[ -S "$socket" ]] && break
  kill -0 "$daemon" 2>/dev/null || { cat "$state/log" >&2; exit 1; }
  sleep 0.1
done
vrpctl --remote "unix:$socket" solve "${files[@]}" --answers "$answers/part-$index" "$@"

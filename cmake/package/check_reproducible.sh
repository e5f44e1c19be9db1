#!/usr/bin/env bash
# check_reproducible.sh: packs the last commit in this folder and in a clone in another folder, and compares the names,
# sizes and SHA-256 of all packages. The clone is compiled from scratch without a compiler cache. Use ./dev package
# --check-reproducible. Exits with 1 if a package differs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

temp=""
trap 'if [[ -n "$temp" ]]; then rm -rf "$temp"; fi' EXIT
die() { printf 'package: error: %s\n' "$*" >&2; exit 1; }

if [[ -n "$(git status --porcelain --untracked-files=no)" ]]; then
  die "there are uncommitted changes, which the clone would not have: commit them first"
fi
temp="$(mktemp -d "${TMPDIR:-/tmp}/vrp-reproducible.XXXXXX")"
git clone --quiet --shared . "$temp/other-folder"
./dev package | tee "$temp/here"
CCACHE_DISABLE=1 "$temp/other-folder/dev" package >"$temp/there"
diff "$temp/here" "$temp/there" >&2 || die "the same commit gave other bytes in another folder (above: here <, there >)"
printf 'reproducible: %s packages are the same from two folders\n' "$(wc -l <"$temp/here")"

#!/usr/bin/env bash
# package.sh BUILD wheel|tar|deb|all [OUTPUT]: packs a finished build into OUTPUT (default: build/packages) and prints
# name, bytes and SHA-256 of each package, one line each. Use ./dev package, which builds first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

readonly newest_glibc=2.34  # the newest glibc that the programs may need: that of RHEL 9 and Amazon Linux 2023
temp=""
trap 'if [[ -n "$temp" ]]; then rm -rf "$temp"; fi' EXIT
die() { printf 'package: error: %s\n' "$*" >&2; exit 1; }
source cmake/package/libraries.sh

version="$(sed -nE 's/^project\(vrp VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)"
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

# Prints the value of a variable of the build's CMake cache.
cached() {  # build name
  sed -nE "s/^$2:[A-Z]+=//p" "$1/CMakeCache.txt"
}

# Prints the wheel's platform tag: the oldest glibc that has all symbols of the programs.
platform_tag() {  # stage
  local glibc
  glibc="$(newest_symbol GLIBC "$1/bin")"
  if [[ "$(printf '%s\n' "$glibc" "$newest_glibc" | sort -V | tail -n 1)" != "$newest_glibc" ]]; then
    die "the programs need glibc $glibc, wanted at most $newest_glibc: objdump -T names the symbols; see cmake/package/glibc_compat.cc"
  fi
  printf 'manylinux_%s_x86_64\n' "${glibc//./_}"
}

# Makes two wheels: one with the programs, and one for every system with the client alone.
make_wheels() {  # stage output
  local build_wheel=client/python/build_wheel.py python
  python="$(cmake/setup_python.sh)"
  "$python" "$build_wheel" --binaries "$1" --output "$2" --platform-tag "$(platform_tag "$1")" >&2
  "$python" "$build_wheel" --no-binaries --output "$2" >&2
}

make_tar() {  # stage output suffix
  local name="vrpd-$version-linux-x86_64$3.tar.xz"
  local threads
  threads="$(nproc)"
  if ((threads < 2)); then threads=2; fi  # xz writes other bytes with one thread, but the same with any larger number
  tar --create --directory="$(dirname "$1")" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu \
    --mtime="@$SOURCE_DATE_EPOCH" --transform="s|^$(basename "$1")|vrpd-$version|" "$(basename "$1")" |
    xz --threads="$threads" -6 --stdout >"$2/$name"
}

make_deb() {  # stage output
  cmake/package/deb.sh "$1" "$2" >&2
}

# Moves the packages to the output folder and prints them.
publish() {  # from output
  local file
  for file in "$1"/*; do
    printf '%s %s %s\n' "$(basename "$file")" "$(stat -c %s "$file")" "$(sha256sum "$file" | cut -d' ' -f1)"
    mv "$file" "$2/"
  done
}

main() {
  local build="${1:?the build folder is missing}" kind="${2:?the kind is missing}" output="${3:-build/packages}" suffix=""
  if [[ "$(cached "$build" VRP_PORTABLE)" != ON ]]; then
    [[ "$kind" == tar ]] || die "$kind needs portable programs, $build has none: only tar takes another preset than package"
    suffix="-$(basename "$build")"
  fi
  mkdir -p "$output"
  temp="$(mktemp -d "$output/.packing.XXXXXX")"
  local stage="$temp/vrpd" made="$temp/packages"
  mkdir "$made"
  cmake/package/stage.sh "$build" "$stage"
  case "$kind" in
    wheel | all) make_wheels "$stage" "$made" ;;&
    tar | all) make_tar "$stage" "$made" "$suffix" ;;&
    deb | all) make_deb "$stage" "$made" ;;&
    wheel | tar | deb | all) publish "$made" "$output" ;;
    *) die "unknown kind '$kind', wanted wheel, tar, deb or all" ;;
  esac
}

main "$@"

#!/usr/bin/env bash
# Examples:
#   cmake/gpu_bundle.sh build/cuda                       pack the programs of build/cuda into build/vrp-gpu.tar.xz
#   cmake/gpu_bundle.sh build/cuda --output FILE.tar.xz
#
# Use ./dev gpu-bundle, which builds first. The bundle is for a machine with a GPU and without a network. It
# contains stripped programs, tests and benchmarks, configurations, models, test data, run and run-gpu-checks.
# It also contains the Debian libraries that the programs need, except those of glibc and GCC, which every
# system has. It does not contain LibTorch: run finds the installed one. A bundle above 60 MiB is refused.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly max_mib=60
readonly torch=2.11.0+cu130  # the version that `run` requires on the GPU machine, as in cmake/libtorch_cuda.lock
temp=""
trap 'if [[ -n "$temp" ]]; then rm -rf "$temp"; fi' EXIT

say() { printf 'gpu-bundle: %s\n' "$*" >&2; }
die() { printf 'gpu-bundle: error: %s\n' "$*" >&2; exit 1; }

source cmake/package/libraries.sh

# Prints the newest symbol version that any of the bundle's files needs.
newest_in_bundle() {  # prefix bundle
  newest_symbol "$1" "$2/bin" "$2/tests" "$2/bench" "$2/lib"
}

# Copies a program without symbols and without the paths of this machine's LibTorch; `run` sets the paths.
copy_program() {  # from to
  install -D -m 0755 "$1" "$2"
  strip --strip-all "$2"
  printf 'file(RPATH_REMOVE FILE "%s")\n' "$2" >"$temp/rpath.cmake"
  cmake -P "$temp/rpath.cmake" >/dev/null
}

copy_sources() {  # bundle
  local file
  git ls-files configs models tests/data tests/gpu tests/bench/our_engine.py tests/e2e/daemon.py | while read -r file; do
    case "$file" in
      tests/gpu/*.cc | tests/gpu/*.h | tests/gpu/*.cu | tests/gpu/*.txt | tests/gpu/*_test.py) ;;
      tests/gpu/run) install -D -m 0755 "$file" "$1/run" ;;
      *) install -D -m "$([[ -x "$file" ]] && echo 0755 || echo 0644)" "$file" "$1/$file" ;;
    esac
  done
  mkdir -p "$1/share/vrp"
  ln -s ../../models "$1/share/vrp/models"  # where installed programs look
  ln -s tests/gpu/run-gpu-checks "$1/run-gpu-checks"
}

write_manifest() {  # bundle
  local changed=false
  if [[ -n "$(git status --porcelain --untracked-files=no)" ]]; then changed=true; fi
  cat >"$1/bundle.json" <<END
{
  "commit": "$(git rev-parse --short=12 HEAD)",
  "changed_since": $changed,
  "packed": "$(date -u +%Y-%m-%dT%H:%M:%SZ)",
  "torch": "$torch",
  "glibc": "$(newest_in_bundle GLIBC "$1")",
  "glibcxx": "$(newest_in_bundle GLIBCXX "$1")"
}
END
}

# Prints the sizes of the contents, unpacked and packed separately, largest first; small ones in one line.
print_sizes() {  # bundle
  local part
  printf '%9s %9s  %s\n' MiB packed part
  (cd "$1" && find bin bench lib configs models tests -maxdepth 1 -mindepth 1 | while read -r part; do
    printf '%s %s %s\n' "$(du -sb "$part" | cut -f1)" "$(tar -cf - "$part" | xz -1 | wc -c)" "$part"
  done) | sort -rn | awk '
    function show(size, packed, part) { printf "%9.2f %9.2f  %s\n", size / 1048576, packed / 1048576, part }
    $1 > 262144 { show($1, $2, $3); next }
    { rest += $1; rest_packed += $2; ++parts }
    END { show(rest, rest_packed, parts " smaller parts") }'
}

main() {
  local build="${1:?the build folder is missing}" output=build/vrp-gpu.tar.xz folder path bundle bytes
  shift
  while (($#)); do
    case "$1" in
      --output) output="${2:?--output needs a file}"; shift 2 ;;
      -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; return 0 ;;
      *) die "unknown argument '$1', wanted --output FILE" ;;
    esac
  done
  [[ -f "$build/gpu_programs.txt" ]] || die "$build was not configured for CUDA: run ./dev gpu-bundle"
  temp="$(mktemp -d)"
  bundle="$temp/vrp-gpu"
  while read -r folder path; do
    [[ -x "$path" ]] || die "$path is not built: run ./dev gpu-bundle"
    copy_program "$path" "$bundle/$folder/$(basename "$path")"
    copy_libraries "$path" "$bundle/lib"
  done <"$build/gpu_programs.txt"
  copy_sources "$bundle"
  write_manifest "$bundle"
  print_sizes "$bundle" >&2
  tar -C "$temp" --sort=name --owner=0 --group=0 --numeric-owner -cf - vrp-gpu | xz -T0 -6 >"$temp/bundle.tar.xz"
  bytes="$(stat -c %s "$temp/bundle.tar.xz")"
  if ((bytes > max_mib * 1048576)); then
    die "$((bytes / 1048576)) MiB, wanted at most $max_mib: the largest parts are listed above"
  fi
  mkdir -p "$(dirname "$output")"
  mv "$temp/bundle.tar.xz" "$output"
  say "$output: $(awk "BEGIN {printf \"%.1f\", $bytes / 1048576}") MiB, of commit $(git rev-parse --short=12 HEAD)"
}

main "$@"

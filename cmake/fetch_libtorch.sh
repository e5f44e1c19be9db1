#!/usr/bin/env bash
# Examples:
#   cmake/fetch_libtorch.sh              fetch and unpack LibTorch for the CPU; print its folder
#   cmake/fetch_libtorch.sh cuda         also fetch the CUDA libraries and nvcc (about 3 GB more)
#   cmake/fetch_libtorch.sh --path cuda  only print the folder, fetch nothing
#
# LibTorch consists of the lib and include folders of Python's torch wheel. They are unpacked into
# ${XDG_CACHE_HOME:-$HOME/.cache}/vrp, outside the build tree, so that every checkout shares one copy.
# cmake/libtorch_<variant>.lock pins each wheel by version and SHA-256. An interrupted download resumes
# where it stopped, and a folder appears only when it is complete.
set -euo pipefail

readonly torch_version=2.11.0
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
cache="${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/vrp"
temp=""
transfer=""

say() { printf 'libtorch: %s\n' "$*" >&2; }
die() { printf 'libtorch: error: %s\n' "$*" >&2; exit 1; }

cleanup() {
  if [[ -n "$transfer" ]]; then kill "$transfer" 2>/dev/null || true; fi
  if [[ -n "$temp" ]]; then rm -rf "$temp"; fi
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the URL of a wheel. Calls Debian's pip, which reads the machine's package index settings and matches platform tags.
url_of() {  # name version
  local report="$temp/report.json" log="$temp/pip.log" minor platforms=(--platform manylinux2014_x86_64)
  for minor in {17..28}; do platforms+=(--platform "manylinux_2_${minor}_x86_64"); done
  # fast-deps reads only the end of a wheel, which holds the metadata, instead of all 530 MB.
  if ! /usr/bin/python3 -m pip install --quiet --dry-run --ignore-installed --no-deps \
      --only-binary=:all: --python-version 3.11 "${platforms[@]}" \
      --target "$temp/unused" --use-feature=fast-deps --report "$report" "$1==$2" >"$log" 2>&1; then
    cat "$log" >&2
    die "pip could not find $1 $2: check the network and pip's index settings, then run this again"
  fi
  /usr/bin/python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["install"][0]["download_info"]["url"])' "$report"
}

# Prints the size of a growing file every ten seconds, as plain lines for logs.
report_growth() {  # name file pid
  local seconds=0 bytes
  while kill -0 "$3" 2>/dev/null; do
    sleep 1
    seconds=$((seconds + 1))
    if ((seconds % 10 == 0)); then
      bytes="$(stat -c %s "$2" 2>/dev/null || echo 0)"
      say "$1: $((bytes / 1000000)) MB so far"
    fi
  done
}

download() {  # name url part-file
  local options=(--fail --location --connect-timeout 30 --speed-limit 1000 --speed-time 60 -C -)
  local attempt rc
  for attempt in 1 2 3 4 5 6; do
    if [[ -t 2 ]]; then
      rc=0
      curl "${options[@]}" --progress-bar -o "$3" "$2" || rc=$?
    else
      curl "${options[@]}" --silent --show-error -o "$3" "$2" &
      transfer=$!
      report_growth "$1" "$3" "$transfer"
      rc=0
      wait "$transfer" || rc=$?
      transfer=""
    fi
    if ((rc == 0)); then return 0; fi
    # 33 and 22 (HTTP 416): the file is complete already, or the server cannot resume; the hash decides.
    if ((rc == 33 || rc == 22)) && [[ -s "$3" ]]; then return 0; fi
    say "$1: the transfer was interrupted (curl $rc), attempt $attempt of 6; resuming"
    sleep $((attempt * 2))
  done
  die "$1: no complete download after 6 attempts; the partial file is kept, run this again to resume"
}

matches() { printf '%s  %s\n' "$2" "$1" | sha256sum --check --status; }

# Leaves the wheel in the cache and sets `wheel` to its path.
fetch() {  # name version sha256
  wheel="$cache/downloads/$1-$2.whl"
  if [[ -f "$wheel" ]]; then
    if matches "$wheel" "$3"; then return 0; fi
    say "$1 $2: the cached download is damaged; fetching it again"
    rm -f "$wheel"
  fi
  local part="$wheel.part" url try
  url="$(url_of "$1" "$2")"
  for try in 1 2; do
    say "$1 $2: downloading"
    download "$1" "$url" "$part"
    if matches "$part" "$3"; then
      mv "$part" "$wheel"
      return 0
    fi
    rm -f "$part"
    say "$1 $2: wrong SHA-256 (attempt $try of 2)"
  done
  die "$1 $2: the download does not match the pinned SHA-256 $3; check whether a proxy or mirror alters it"
}

# Unpacks torch's headers and libraries. The wheel's include/google is protobuf 3.13, which must not mix
# with the system's 3.21. Python's own libraries are not needed.
unpack_torch() {  # wheel folder variant
  local skip=('torch/include/google/*' 'torch/lib/libtorch_python.so' 'torch/lib/libshm*')
  if [[ "$3" == cpu ]]; then
    skip+=('torch/lib/libtorch_cuda*' 'torch/lib/libc10_cuda.so' 'torch/lib/libcaffe2_nvrtc.so'
           'torch/lib/libtorch_nvshmem.so' 'torch/lib/libtorch.so' 'torch/lib/libtorch_global_deps.so')
  fi
  unzip -q "$1" 'torch/lib/*' 'torch/include/*' -x "${skip[@]}" -d "$2/unzipped"
  mv "$2/unzipped/torch/lib" "$2/unzipped/torch/include" "$2/"
  rm -rf "$2/unzipped"
}

# Unpacks NVIDIA's wheels: the shared libraries go next to libtorch's, where its RPATH ($ORIGIN) points.
# For CUDA, compiler and headers form a toolkit in cuda/, whose lib64 is a link to that folder.
unpack_nvidia() {  # wheel folder variant
  local from="$2/unzipped" part
  unzip -q -o "$1" 'nvidia/*' -d "$from"
  find "$from" -path '*/lib/*' -name '*.so*' -exec mv -t "$2/lib" {} +
  if [[ "$3" == cuda ]]; then
    mkdir -p "$2/cuda"
    for part in "$from"/nvidia/*/{bin,include,nvvm}; do
      if [[ -d "$part" ]]; then cp -r "$part" "$2/cuda/"; fi
    done
    find "$from" -path '*/lib/*' -name '*.a' -exec mv -t "$2/lib" {} +
    if [[ -d "$2/cuda/bin" ]]; then chmod -R a+rx "$2/cuda/bin" "$2/cuda/nvvm" 2>/dev/null || true; fi
    ln -sfn ../lib "$2/cuda/lib64"
    # The linker uses the name without a version.
    if [[ -f "$2/lib/libcudart.so.13" ]]; then ln -sf libcudart.so.13 "$2/lib/libcudart.so"; fi
  fi
  rm -rf "$from"
}

# Unpacks the licences of a wheel into licences/<name>, for packages that contain its libraries. Most wheels keep their
# licences in dist-info; cuSPARSELt's wheel keeps its own beside the library.
unpack_licences() {  # wheel name folder
  local files
  mapfile -t files < <(unzip -Z1 "$1" | grep -iE '(\.dist-info|^nvidia/[^/]+)/(licenses/|license|notice)[^/]*$' | grep -v '/$')
  ((${#files[@]})) || die "$2: its wheel has no licence, neither in its dist-info folder nor in nvidia/NAME"
  mkdir -p "$3/licences/$2"
  unzip -q -o -j "$1" "${files[@]}" -d "$3/licences/$2"
}

main() {
  local only_path=0 variant=cpu name version sha256 wheel
  if [[ "${1:-}" == --path ]]; then only_path=1; shift; fi
  variant="${1:-cpu}"
  case "$variant" in
    cpu | cuda) ;;
    -h | --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; return 0 ;;
    *) die "unknown variant '$variant', wanted cpu or cuda" ;;
  esac
  local lock="$here/libtorch_$variant.lock"
  # The folder's name contains the hash of the pins, so a changed pin uses another folder.
  local folder
  folder="$cache/libtorch-$torch_version-$variant-$(grep -v "^#" "$lock" | sha256sum | cut -c1-8)"
  if ((only_path)) || [[ -d "$folder/licences" ]]; then
    printf '%s\n' "$folder"
    return 0
  fi
  for tool in curl unzip sha256sum flock /usr/bin/python3; do
    command -v "$tool" >/dev/null || die "$tool is missing: run ./dev build, which installs it"
  done

  mkdir -p "$cache/downloads"
  exec 9>"$cache/.libtorch.lock"
  flock -n 9 || { say "another run is fetching it; waiting"; flock 9; }
  if [[ -d "$folder/licences" ]]; then printf '%s\n' "$folder"; return 0; fi

  rm -rf "$cache"/.unpack.*  # Left by a run that was killed; we hold the lock.
  temp="$(mktemp -d "$cache/.unpack.XXXXXX")"
  mkdir "$temp/root"
  while read -r name version sha256; do
    if [[ -z "$name" || "$name" == \#* ]]; then continue; fi
    fetch "$name" "$version" "$sha256"
    say "$name $version: unpacking"
    if [[ "$name" == torch ]]; then
      unpack_torch "$wheel" "$temp/root" "$variant"
    else
      unpack_nvidia "$wheel" "$temp/root" "$variant"
    fi
    unpack_licences "$wheel" "$name" "$temp/root"
  done <"$lock"
  rm -rf "$folder"  # An earlier version of this script made this folder without the licences.
  mv "$temp/root" "$folder"
  # torch's wheel stays for the other variant; the rest is not needed again.
  rm -f "$cache"/downloads/nvidia-*.whl
  say "ready in $folder"
  printf '%s\n' "$folder"
}

main "$@"

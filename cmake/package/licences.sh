#!/usr/bin/env bash
# licences.sh BUILD OUTPUT: writes the licences of everything that the programs of a build contain into the folder
# OUTPUT. Each Debian source package has a file. A build with LibTorch also gets the licences of LibTorch's wheels.
#
# The packages are those of the static archives and of the headers that the build has read, as Ninja recorded them.
set -euo pipefail

readonly build="${1:?the build folder is missing}" output="${2:?the output folder is missing}"
die() { printf 'licences: error: %s\n' "$*" >&2; exit 1; }

# Prints the files of Debian packages that became part of the programs.
used_files() {
  ninja -C "$build" -t deps | sed -nE 's/^ +(\/usr\/(include|lib)\/\S+)$/\1/p'
  ninja -C "$build" -t commands bin/vrpd bin/vrpctl | grep -oE '/usr/lib/[^ ]+\.(a|so)[.0-9]*'
  sed -nE 's/^VRP_LEAFLET_(JS|CSS):FILEPATH=//p' "$build/CMakeCache.txt"  # compiled into the web page
  if grep -q '^VRP_PORTABLE:BOOL=ON$' "$build/CMakeCache.txt"; then
    gcc -print-file-name=libstdc++.a
    gcc -print-libgcc-file-name
  else
    ldd "$build/bin/vrpd" "$build/bin/vrpctl" | sed -nE 's/.* => (\/\S+) .*/\1/p'
  fi
}

# Prints the packages, without glibc and Linux, of which the programs use only the interface. dpkg knows some files by
# their path from before /lib became a link to /usr/lib.
used_packages() {
  used_files | sort -u | xargs -r -n 1 realpath | sed -n 'p; s|^/usr/lib/|/lib/|p' | sort -u | xargs -r dpkg -S 2>/dev/null |
    sed 's/: .*//' | tr -d ' ' | tr ',' '\n' | sort -u | grep -vE '^(libc6|libc6-dev|linux-libc-dev)(:|$)'
}

copy_debian() {
  local package source
  while read -r package; do
    source="$(dpkg-query -W -f '${source:Package}' "$package")"
    [[ -f "/usr/share/doc/${package%%:*}/copyright" ]] || die "$package has no copyright file"
    install -D -m 0644 "/usr/share/doc/${package%%:*}/copyright" "$output/$source.txt"
  done < <(used_packages)
}

# Copies the texts of common licences, which Debian's copyright files give only as paths on a Debian system.
copy_common_licences() {
  local name
  grep -rhoE '/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]' "$output" | sed 's|.*/||' | sort -u |
    while read -r name; do
      install -D -m 0644 "/usr/share/common-licenses/$name" "$output/common-licenses/$name"
    done
}

# Prints the folder of the build's LibTorch, nothing if it has none.
libtorch_folder() {
  local root variant=cpu
  if ! grep -q '^VRP_WITH_TORCH:BOOL=ON$' "$build/CMakeCache.txt"; then return 0; fi
  if grep -q '^VRP_WITH_CUDA:BOOL=ON$' "$build/CMakeCache.txt"; then variant=cuda; fi
  root="$(sed -n 's/^VRP_TORCH_ROOT:PATH=//p' "$build/CMakeCache.txt")"
  printf '%s\n' "${root:-$(cmake/fetch_libtorch.sh --path "$variant")}"
}

# Copies the licences of LibTorch and NVIDIA's libraries, which cmake/fetch_libtorch.sh unpacks beside them.
copy_libtorch() {
  local torch
  torch="$(libtorch_folder)"
  if [[ -z "$torch" ]]; then return 0; fi
  [[ -d "$torch/licences" ]] ||
    die "$torch has no licences, since an older version fetched it: remove that folder and run this again"
  cp -r "$torch/licences/." "$output/"
}

mkdir -p "$output"
copy_debian
copy_common_licences
copy_libtorch

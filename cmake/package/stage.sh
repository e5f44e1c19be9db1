#!/usr/bin/env bash
# stage.sh BUILD OUTPUT: installs a build into the folder OUTPUT in the form of all packages. OUTPUT can be moved:
#   bin/           vrpd and vrpctl, stripped
#   lib/           the shared libraries that they load from there, if any: LibTorch's, and then Debian's too
#   share/vrp/     models/ with the shipped weights, configs/
#   share/doc/vrpd/   LICENSE, CHANGELOG.md, licences/ of the libraries inside the programs
#   share/         whatever else CMake's install rules name: man pages, completions
# All dates become SOURCE_DATE_EPOCH, which must be set. Permissions do not depend on the umask.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { printf 'stage: error: %s\n' "$*" >&2; exit 1; }
source cmake/package/libraries.sh

# Copies Debian's libraries beside LibTorch's. Each finds the others in its own folder.
bundle_libraries() {  # stage
  local program library
  for program in "$1"/bin/*; do copy_libraries "$program" "$1/lib/debian"; done
  if [[ ! -d "$1/lib/debian" ]]; then return 0; fi
  for library in "$1"/lib/debian/*; do
    patchelf --set-rpath '$ORIGIN' "$library"
    mv "$library" "$1/lib/"
  done
  rmdir "$1/lib/debian"
}

main() {
  local build="${1:?the build folder is missing}" stage="${2:?the output folder is missing}"
  [[ -n "${SOURCE_DATE_EPOCH:-}" ]] || die "SOURCE_DATE_EPOCH is not set, wanted seconds since 1970, such as those of \$(git log -1 --format=%ct)"
  if [[ -e "$stage" ]]; then die "$stage exists already: name a new folder"; fi
  cmake --install "$build" --strip --prefix "$stage" >/dev/null
  bundle_libraries "$stage"
  install -D -m 0644 -t "$stage/share/doc/vrpd" LICENSE CHANGELOG.md
  cmake/package/licences.sh "$build" "$stage/share/doc/vrpd/licences"
  chmod -R u=rwX,go=rX "$stage"
  find "$stage" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
}

main "$@"

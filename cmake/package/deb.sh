#!/usr/bin/env bash
# deb.sh STAGE OUTPUT [VERSION]: packs a staged build (cmake/package/stage.sh) as OUTPUT/vrpd_VERSION_amd64.deb, by CPack.
# VERSION is the project's by default. ./dev package deb calls this script. Equal stages give equal bytes: all dates are
# SOURCE_DATE_EPOCH, by default that of the last commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

die() { printf 'deb: error: %s\n' "$*" >&2; exit 1; }
readonly stage="${1:?the folder of the staged build is missing}" output="${2:?the output folder is missing}"
readonly version="${3:-$(sed -nE 's/^project\(vrp VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)}"
readonly files=cmake/package/deb maintainer="vrp maintainers <vrp@lists.invalid>"
for program in vrpd vrpctl; do
  [[ -x "$stage/bin/$program" ]] || die "$stage/bin/$program is missing: cmake/package/stage.sh BUILD $stage makes it"
done
if [[ -d "$stage/lib" ]]; then die "$stage holds shared libraries in lib/: only the preset package has portable programs"; fi
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH LC_ALL=C.UTF-8 TZ=UTC
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
readonly root="$work/root" doc="$work/root/usr/share/doc/vrpd"

# Writes the changelog in Debian's form. CHANGELOG.md beside it lists the changes.
write_changelog() {
  printf 'vrpd (%s) stable; urgency=medium\n\n  * Release %s; see CHANGELOG.md.gz.\n\n -- %s  %s\n' \
    "$version" "$version" "$maintainer" "$(date -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

# Copies the stage to $root, moves files to Debian's places and compresses those that Debian wants compressed.
lay_out() {
  mkdir -p "$root"
  cp -R "$stage" "$root/usr"
  rm -f "$doc/LICENSE"  # the file copyright says where its text is
  rm -f "$root/usr/share/vrp/configs/vrpd.service"
  install -D -m 0644 configs/vrpd.service "$root/lib/systemd/system/vrpd.service"
  install -D -m 0644 configs/vrpd.yaml "$root/etc/vrpd/vrpd.yaml"
  install -D -m 0644 "$files/copyright" "$doc/copyright"
  install -D -m 0644 "$files/lintian-overrides" "$root/usr/share/lintian/overrides/vrpd"
  write_changelog
  gzip -9n "$doc/CHANGELOG.md" "$root"/usr/share/man/man1/*.1
}

lay_out
chmod -R u=rwX,go=rX "$root"
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
mkdir -p "$output"
cpack --config "$files/CPackConfig.cmake" -G DEB -B "$work/cpack" -D "CPACK_INSTALLED_DIRECTORIES=$root;/" \
  -D "CPACK_PACKAGE_VERSION=$version" -D "CPACK_PACKAGE_CONTACT=$maintainer" >"$work/log" 2>&1 ||
  { cat "$work/log" >&2; die "cpack failed (above)"; }
mv "$work/cpack/vrpd_${version}_amd64.deb" "$output/"
printf '%s\n' "$output/vrpd_${version}_amd64.deb"

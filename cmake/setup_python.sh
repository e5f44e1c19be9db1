#!/usr/bin/env bash
# Examples:
#   cmake/setup_python.sh          create the tests' Python environment if needed; print its interpreter
#   cmake/setup_python.sh --path   only print the interpreter's path
#
# The environment is in ${XDG_CACHE_HOME:-$HOME/.cache}/vrp and includes Debian's Python packages.
set -euo pipefail

here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
requirements="$here/python_requirements.txt"
cache="${XDG_CACHE_HOME:-${HOME:?HOME is not set}/.cache}/vrp"
folder="$cache/python-$(grep -v '^#' "$requirements" | sha256sum | cut -c1-8)"

if [[ "${1:-}" != --path && ! -f "$folder/.complete" ]]; then
  mkdir -p "$cache"
  exec 9>"$cache/.python.lock"
  flock 9
  if [[ ! -f "$folder/.complete" ]]; then
    # A virtual environment contains its own path, so it is created in place and marked when complete.
    rm -rf "$folder"
    echo "python: setting up the tests' environment" >&2
    /usr/bin/python3 -m venv --system-site-packages "$folder"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --ignore-installed \
      --only-binary=:all: --require-hashes -r "$requirements" >&2 || {
      echo "python: error: pip could not install cmake/python_requirements.txt: check the network, then run this again" >&2
      exit 1
    }
    touch "$folder/.complete"
  fi
fi
printf '%s\n' "$folder/bin/python"

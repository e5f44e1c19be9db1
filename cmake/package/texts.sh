#!/usr/bin/env bash
# texts.sh PROGRAMS SHARE: generates man pages, and completions for bash, zsh and fish, from vrpd and vrpctl in the
# folder PROGRAMS, and writes them into the folder SHARE. CMake's install rules run this script.
set -euo pipefail

readonly programs="${1:?the folder of the programs is missing}" share="${2:?the output folder is missing}"
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

completion() {  # shell folder file
  mkdir -p "$share/$2"
  "$programs/vrpctl" completion "$1" >"$share/$2/$3"
}

PYTHONDONTWRITEBYTECODE=1 python3 "$here/man_pages.py" --programs "$programs" --output "$share/man/man1"
completion bash bash-completion/completions vrpctl
completion zsh zsh/vendor-completions _vrpctl
completion fish fish/vendor_completions.d vrpctl.fish

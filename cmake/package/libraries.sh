# Defines functions about shared libraries. The scripts that pack programs source this file and define die().

# Libraries of glibc and GCC, which every system that runs the programs has.
readonly system_libraries='^(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|util|anl|stdc\+\+|gcc_s))\.so'

# Copies the Debian libraries that a program loads: those that the loader finds in the system's folders, except those of
# glibc and GCC. Libraries of NVIDIA's driver may be missing.
copy_libraries() {  # program folder
  local name path
  while read -r name path; do
    if [[ "$path" == missing ]]; then
      case "$name" in
        libcuda.so.* | libnvidia-*) continue ;;  # the driver's
        *) die "$1 needs $name, which is not installed" ;;
      esac
    fi
    if [[ ! "$path" =~ ^(/usr)?/lib/ || "$name" =~ $system_libraries || -e "$2/$name" ]]; then continue; fi
    install -D -m 0644 "$(readlink -f "$path")" "$2/$name"
  done < <(ldd "$1" | sed -nE 's/^\s*(\S+) => not found.*/\1 missing/p; s/^\s*(\S+) => (\/\S+) .*/\1 \2/p')
}

# Prints the newest version of a symbol set (GLIBC, GLIBCXX) that any program or library in the folders needs.
newest_symbol() {  # prefix folder...
  local prefix="$1"
  shift
  find "$@" -type f \( -perm -u+x -o -name '*.so*' \) ! -name '*.py' -print0 |
    xargs -0 objdump -T 2>/dev/null | grep -oE "\(${prefix}_[0-9.]+\)" | grep -oE '[0-9.]+' | sort -Vu | tail -n 1
}

#!/usr/bin/env bash
# Tests the Debian package as root inside a bare system, in which deb_steps.py runs this script. Prints one line per
# behaviour.
#   deb_test.sh install PACKAGE INSTANCE         the first installation, and a solve
#   deb_test.sh upgrade OLDER PACKAGE INSTANCE   upgrade from OLDER, the same package with an older version; removal
#   deb_test.sh purge                            purge, which leaves nothing of the package
# systemd does not run there, so the test starts the unit's command as the unit's user. The service has a private
# network, so that its default port is free.
set -euo pipefail

readonly unit=/lib/systemd/system/vrpd.service
daemon=""

die() { printf 'deb_test: error: %s\n' "$*" >&2; exit 1; }
passed() { printf 'ok: %s\n' "$*"; }
apt() { DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold "$@" >&2; }
setting() { sed -n "s/^$1=//p" "$unit"; }  # prints the value of a key of the unit
in_network() { nsenter "--net=/proc/$network/ns/net" "$@"; }

# Creates a network namespace with nothing but a loopback device that is up.
make_network() {
  unshare --net sleep infinity &
  network=$!
  until [[ "$(readlink "/proc/$network/ns/net")" != "$(readlink /proc/self/ns/net)" ]]; do sleep 0.05; done
  in_network perl -MSocket -e '
    socket(my $any, PF_INET, SOCK_DGRAM, 0);
    my $request = pack("a16 s x14", "lo", 1);  # SIOCSIFFLAGS with IFF_UP
    ioctl($any, 0x8914, $request) or die "loopback: $!";'
}

start_daemon() {
  local command
  read -ra command <<<"$(setting ExecStart)"
  : >/root/vrpd.log
  in_network runuser -u "$(setting User)" -- "${command[@]}" >/root/vrpd.log 2>&1 &
  daemon=$!
  for ((i = 0; i < 1200; i++)); do
    if grep -q '^listening on ' /root/vrpd.log; then return; fi
    kill -0 "$daemon" 2>/dev/null || break
    sleep 0.1
  done
  die "the service ended, or did not print 'listening on' within two minutes; its log: $(cat /root/vrpd.log)"
}

stop_daemon() {
  kill -TERM "$(pgrep_vrpd)"
  wait "$daemon" || die "the service ended with exit code $?, wanted 0; its log: $(cat /root/vrpd.log)"
}

# Prints the id of the process whose program is vrpd. runuser waits for this process. A bare system has no pgrep.
pgrep_vrpd() {
  local process
  for process in /proc/[0-9]*; do
    if [[ "$(readlink "$process/exe")" == /usr/bin/vrpd ]]; then basename "$process"; fi
  done
}

vrp() { in_network vrpctl "$@"; }

expect_kept_state() {
  grep -q '^datasets/kept ' <<<"$(vrp datasets list)" ||
    die "vrpctl datasets list: wanted datasets/kept, got: $(vrp datasets list)"
  grep -q SUCCEEDED <<<"$(vrp solve-jobs list)" ||
    die "vrpctl solve-jobs list: wanted a SUCCEEDED job, got: $(vrp solve-jobs list)"
  grep -q '^solve_queue: 7$' /etc/vrpd/vrpd.yaml ||
    die "/etc/vrpd/vrpd.yaml: wanted the administrator's 'solve_queue: 7', got: $(grep solve_queue /etc/vrpd/vrpd.yaml)"
}

expect_nothing_left() {
  local left
  for left in /var/lib/vrpd /etc/vrpd /usr/bin/vrpd /usr/share/vrp "$unit"; do
    if [[ -e "$left" ]]; then die "$left exists after the purge, wanted it removed"; fi
  done
}

installs_and_solves() {  # package instance
  local begin="$EPOCHREALTIME" seconds answer
  apt update
  apt install -y "$1"
  start_daemon
  answer="$(vrp solve "$2" --budget 1s)"
  seconds="$(perl -e "printf '%.1f', $EPOCHREALTIME - $begin")"
  grep -q '^cost: 375 ' <<<"$answer" && grep -q '^checker: feasible' <<<"$answer" ||
    die "vrpctl solve: wanted 'cost: 375' and 'checker: feasible', got: $answer"
  printf '%s\n' "$answer"
  stop_daemon
  passed "installs and solves in $seconds s from apt-get update (goal: 60 s)"
}

keeps_state_private_to_the_service() {
  [[ "$(stat -c '%U:%G %a' /var/lib/vrpd)" == "vrpd:vrpd 700" ]] ||
    die "/var/lib/vrpd: got owner and mode $(stat -c '%U:%G %a' /var/lib/vrpd), wanted vrpd:vrpd 700"
  [[ "$(getent passwd vrpd | cut -d: -f6,7)" == /var/lib/vrpd:/usr/sbin/nologin ]] ||
    die "user vrpd: got '$(getent passwd vrpd)', wanted the home /var/lib/vrpd and the shell /usr/sbin/nologin"
  passed "the state is private to a user without a login"
}

installs_man_pages_and_completions() {
  zgrep -q '^.SS vrpctl solve' /usr/share/man/man1/vrpctl.1.gz || die "vrpctl.1 lacks the section 'vrpctl solve'"
  zgrep -q 'state\\-dir' /usr/share/man/man1/vrpd.1.gz || die "vrpd.1 does not describe --state-dir"
  bash -euc 'source /usr/share/bash-completion/completions/vrpctl; complete -p vrpctl' >/dev/null ||
    die "/usr/share/bash-completion/completions/vrpctl: got no completion of vrpctl, wanted one"
  passed "man pages and completions are installed"
}

purges_all() {
  apt purge -y vrpd
  expect_nothing_left
  passed "purge removes programs, configuration and state"
}

keeps_state_on_upgrade() {  # older package instance
  apt install -y "$1"
  sed -i 's/^solve_queue: .*/solve_queue: 7/' /etc/vrpd/vrpd.yaml
  start_daemon
  vrp generate --problem cvrp --customers 10 --count 3 --out /root/kept.jsonl
  vrp datasets upload /root/kept.jsonl --name kept >&2
  vrp solve "$3" --job --budget 1s >&2
  stop_daemon
  apt install -y "$2"
  [[ "$(dpkg-query -W -f '${Version}' vrpd)" == "$(dpkg-deb -f "$2" Version)" ]] ||
    die "vrpd: got version $(dpkg-query -W -f '${Version}' vrpd) after the upgrade, wanted $(dpkg-deb -f "$2" Version)"
  start_daemon
  expect_kept_state
  stop_daemon
  passed "an upgrade keeps jobs, datasets and configuration"
}

keeps_state_on_remove() {  # package
  apt remove -y vrpd
  if [[ -e /usr/bin/vrpd ]]; then die "/usr/bin/vrpd exists after apt remove, wanted it removed"; fi
  apt install -y "$1"
  start_daemon
  expect_kept_state
  stop_daemon
  passed "remove keeps jobs, datasets and configuration for the next installation"
}

make_network
case "$1" in
  install)
    installs_and_solves "$2" "$3"
    keeps_state_private_to_the_service
    installs_man_pages_and_completions
    ;;
  upgrade)
    keeps_state_on_upgrade "$2" "$3" "$4"
    keeps_state_on_remove "$3"
    ;;
  purge) purges_all ;;
  *) die "unknown part '$1', wanted install, upgrade or purge" ;;
esac

#!/usr/bin/env bash
# Installs the node software, the pooler and the browser that some tests use: monero, litecoind, pgbouncer, Chromium without a
# window (half the work for a processor), or else the whole one.
# Nothing depends on them: tests that miss one are left out and say so. Therefore this never fails; it says what it did.
# Acts only as root, with apt-get, and when asked: CI=true or --yes.
set -uo pipefail

missing=()
for pair in monero:monerod litecoind:litecoind pgbouncer:pgbouncer; do
  command -v "${pair#*:}" >/dev/null || missing+=("${pair%:*}")
done
command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || missing+=(chromium-headless-shell)

if ((${#missing[@]} == 0)); then
  echo "system packages: monero, litecoind, pgbouncer and Chromium are here"
  exit 0
fi

leave() {
  echo "system packages: ${missing[*]} not installed: $1"
  exit 0
}

[[ "${CI:-}" == true || "${1:-}" == --yes ]] || leave "not asked to (CI=true or --yes)"
command -v apt-get >/dev/null || leave "there is no apt-get"
[[ "$(id -u)" == 0 ]] || leave "not root"

export DEBIAN_FRONTEND=noninteractive
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# A mirror that does not answer must not take the time that the tests need.
timeout 60 apt-get update -qq >"$log" 2>&1 || leave "apt-get update failed: $(tail -n 1 "$log")"
install() {
  if timeout 180 apt-get install -qq -y --no-install-recommends "$1" >"$log" 2>&1; then
    echo "system packages: installed $1"
  else
    echo "system packages: could not install $1: $(tail -n 1 "$log")"
    return 1
  fi
}
for package in "${missing[@]}"; do
  install "$package" || { [[ "$package" == chromium-headless-shell ]] && install chromium; }
done
exit 0

#!/usr/bin/env bash
# Installs what the browser and desktop tests need from the system: Debian and its kin, as root. Does nothing when all of
# it is there. `--check` only prints what is missing, one package a line, and exits 1 if there is any.
set -euo pipefail

is_installed() {
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

# Each line: names of one thing; newer releases append t64 to some libraries.
wanted() {
  if ! command -v chromium chromium-browser google-chrome-stable google-chrome >/dev/null 2>&1; then echo chromium; fi
  cat <<'LIST'
xvfb
xauth
libgtk-3-0 libgtk-3-0t64
libnss3
libasound2 libasound2t64
libgbm1
fonts-liberation
LIST
}

# The names of which no alternative is installed, a line each.
missing() {
  local line name found
  wanted | while read -r line; do
    found=
    for name in $line; do
      if is_installed "$name"; then found=yes; fi
    done
    if [ -z "$found" ]; then echo "$line"; fi
  done
}

# The first name that this release can really install (a virtual package has no candidate).
installable() {
  local name
  for name in "$@"; do
    if [[ "$(apt-cache policy "$name" 2>/dev/null)" == *"Candidate: "[!\(]* ]]; then
      echo "$name"
      return
    fi
  done
  echo "$1"
}

lacking=$(missing)
if [ -z "$lacking" ]; then exit 0; fi
if [ "${1:-}" = --check ]; then
  echo "$lacking" | cut -d' ' -f1
  exit 1
fi
if [ "$(id -u)" != 0 ]; then
  echo "run this as root: sudo bash test/install-system.sh" >&2
  exit 1
fi

export DEBIAN_FRONTEND=noninteractive
options=(-y --no-install-recommends -o DPkg::Lock::Timeout=120 -o Acquire::Retries=3)
apt-get update -q </dev/null
packages=()
while read -r line; do
  # shellcheck disable=SC2086 # the names of one thing are words
  packages+=("$(installable $line)")
done <<<"$lacking"
apt-get install "${options[@]}" "${packages[@]}" </dev/null

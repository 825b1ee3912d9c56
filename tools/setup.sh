#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh GROUP... -- installs missing packages of groups of tools/packages.txt. Prints a line only if it
# installs. Exit: 0 all there, or a system whose packages have other names; 1 apt-get failed; 2 neither root nor sudo.
set -euo pipefail

list=$(dirname "$0")/packages.txt
known="bookworm trixie noble"

# The first known codename: Mint and others also name the release that they are based on.
of_system() { . "${HILO_OS_RELEASE:-/etc/os-release}" 2>/dev/null && echo "${!1:-}" || true; }
release=""
for name in UBUNTU_CODENAME DEBIAN_CODENAME VERSION_CODENAME; do
  codename=$(of_system "$name")
  if [ -z "$release" ] && [ -n "$codename" ] && [[ " $known " == *" $codename "* ]]; then release=$codename; fi
done
if [ -z "$release" ] || ! command -v apt-get >/dev/null 2>&1 || ! command -v dpkg-query >/dev/null 2>&1; then
  system=$(of_system PRETTY_NAME)
  echo "tools/setup.sh installs packages on Debian 12, Debian 13 and Ubuntu 24.04; this is ${system:-another system}." \
    "Hint: docs/installing.md lists the packages to install manually" >&2
  exit 0
fi

missing=()
for group in "$@"; do
  # A line of three cells has another name of a package in some releases.
  for package in $(awk -F' *[|] *' -v group="$group" -v release="$release" '
      /^#/ { next }
      NF == 6 && $2 == group { order[++count] = $1 }
      NF == 3 && (" " $2 " ") ~ (" " release " ") { other[$1] = $3 }
      END { for (i = 1; i <= count; ++i) print order[i] in other ? other[order[i]] : order[i] }' "$list"); do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

# --no-remove: never removes packages that other software needs.
install="apt-get install -y --no-install-recommends --no-remove ${missing[*]}"
as_root=""
if [ "$(id -u)" != 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "hilo needs packages that are not installed, and there is no sudo. As root, run:"
    echo "  apt-get update && $install"
    exit 2
  fi
  as_root="sudo"
  echo "sudo is needed to install: ${missing[*]}"
  echo "It may ask for your password. tools/packages.txt has the purpose of each package; nothing else runs as root."
else
  echo "installing ${#missing[@]} packages (purposes: tools/packages.txt): ${missing[*]}"
fi
$as_root apt-get update || echo "apt-get update failed; the lists of packages stay as they were"
if ! $as_root env DEBIAN_FRONTEND=noninteractive $install; then
  echo "apt-get could not install what hilo needs; its own words are above. To try by hand:"
  echo "  ${as_root:+$as_root }$install"
  exit 1
fi

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/setup.sh GROUP... -- installs what is missing of tools/packages.txt's groups; says what it does, or nothing.
# Exit: 0 all there, 1 apt-get failed, 2 neither root nor sudo.
set -euo pipefail

list=$(dirname "$0")/packages.txt
missing=()
for group in "$@"; do
  for package in $(awk -F' *[|] *' -v group="$group" '!/^#/ && $2 == group { print $1 }' "$list"); do
    status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
  done
done
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get install -y --no-install-recommends ${missing[*]}"
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "hilo needs packages that are not installed, and there is no sudo. As root, run:"
  echo "  apt-get update && $install"
  exit 2
fi

echo "installing ${#missing[@]} packages (tools/packages.txt says why each): ${missing[*]}"
$as_root apt-get update
DEBIAN_FRONTEND=noninteractive $as_root $install

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/build.sh TREE JOBS TARGET... -- configures the tree, builds those targets that exist.
# Progress on a terminal, one line in a pipe.
set -euo pipefail

tree=$1 jobs=$2
shift 2
# Always: a package may have come since, and it takes a second.
log=$(cmake -G Ninja -B "$tree" -S "$(dirname "$0")/.." 2>&1) || { echo "$log"; exit 1; }
known=$(ninja -C "$tree" -t targets all | sed -n 's/: phony$//p')
targets=()
for target in "$@"; do
  if grep -qxF "$target" <<<"$known"; then targets+=("$target"); fi
done
[ ${#targets[@]} -gt 0 ] || exit 0
if [ -t 1 ]; then
  exec ninja -C "$tree" -j "$jobs" "${targets[@]}"
fi
log=$(ninja -C "$tree" -j "$jobs" "${targets[@]}" 2>&1) || { echo "$log"; exit 1; }
echo "built ${targets[*]} in $tree"

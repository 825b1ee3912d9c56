#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/build.sh TREE JOBS TARGET... -- configures the tree, builds those targets that exist: tools/build_tree.py.
set -euo pipefail

for tool in python3 cmake ninja; do
  command -v "$tool" >/dev/null || { echo "hilo's build needs $tool. Hint: apt-get install python3 cmake ninja-build"; exit 1; }
done
exec python3 "$(dirname "$0")/build_tree.py" "$@"

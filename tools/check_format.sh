#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/check_format.sh [--apply] [FILE...] -- runs clang-format-19 on the C++ sources: lists the files that differ, or
# formats them.
set -euo pipefail

apply=no
if [ "${1:-}" = --apply ]; then
  apply=yes
  shift
fi
if [ $# -eq 0 ]; then
  cd "$(dirname "$0")/.."
  mapfile -t files < <(git ls-files -co --exclude-standard -- 'src/*.cc' 'src/*.h' 'tests/*.cc' 'tests/*.h' \
    'tools/*.cc' 'tools/*.h' 'examples/*.cc' 'examples/*.h' 'bench/*.cc' 'bench/*.h' | while read -r f; do [ -e "$f" ] && echo "$f"; done)
  set -- "${files[@]}"
fi
[ $# -gt 0 ] || exit 0
if [ $apply = yes ]; then
  exec clang-format-19 -i "$@"
fi
differing=$(clang-format-19 --dry-run --Werror "$@" 2>&1 | sed -n 's/^\(.*\):[0-9]*:[0-9]*: error: .*/\1/p' | sort | uniq -c) || true
[ -z "$differing" ] || { printf 'places that differ, file:\n%s\nHint: make format\n' "$differing"; exit 1; }

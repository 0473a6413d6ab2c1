#!/usr/bin/env bash
# static_symbols.sh libfreeridge.a calls.txt: all that the linker can see in the static library is hidden, the calls of
# freeridge.h and the namespace freeridge, so that it collides with nothing and is not handed on by a shared library that
# has libfreeridge.a inside. (Weak symbols are the compiler's copies of the standard library's templates, which every C++
# object has.)
set -euo pipefail
symbols=$(readelf -sW "$1" | awk '$5 == "GLOBAL" && $7 != "UND" { print $6, $8 }' | sort)
visible=$(sed -n 's/^DEFAULT //p' <<<"$symbols")
hidden=$(sed -n 's/^HIDDEN //p' <<<"$symbols")
calls=$(grep '^freeridge_' <<<"$hidden" || true)
failures=0
[ -z "$visible" ] || { printf 'these are not hidden:\n%s\n' "$visible"; failures=1; }
diff <(printf '%s\n' "$calls") "$2" || { echo "the calls are not the exported ones"; failures=1; }
if grep -vE '^(freeridge_|_Z(T[hv]n?[0-9_n]+_)?[A-Z]*K?N?K?9freeridge)' <<<"$hidden"; then
  echo "these are not in the namespace freeridge"
  failures=1
fi
echo "$(wc -l <<<"$calls") calls, $(wc -l <<<"$hidden") hidden symbols"
[ $failures -eq 0 ]

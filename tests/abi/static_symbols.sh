#!/usr/bin/env bash
# static_symbols.sh libfreeridge.a exports.txt: a program that is linked with the static library sees the calls of
# freeridge.h, and nothing of the core. All else that the linker can see is in the namespace freeridge and hidden, so
# that it collides with nothing and is not handed on by a shared library that has libfreeridge.a inside. (Weak symbols
# are the compiler's copies of the standard library's templates, which every C++ object has.)
set -euo pipefail
symbols=$(readelf -sW "$1" | awk '$5 == "GLOBAL" && $7 != "UND" { print $6, $8 }' | sort)
visible=$(sed -n 's/^DEFAULT //p' <<<"$symbols")
hidden=$(sed -n 's/^HIDDEN //p' <<<"$symbols")
failures=0
diff <(printf '%s\n' "$visible") "$2" || { echo "the visible symbols are not the exported calls"; failures=1; }
if grep -vE '^_Z(T[hv]n?[0-9_n]+_)?[A-Z]*K?N?K?9freeridge' <<<"$hidden"; then
  echo "these are not in the namespace freeridge"
  failures=1
fi
echo "$(wc -l <<<"$visible") visible, $(wc -l <<<"$hidden") hidden in the namespace"
[ $failures -eq 0 ]

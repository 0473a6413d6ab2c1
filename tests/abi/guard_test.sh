#!/usr/bin/env bash
# guard_test.sh CHECK LIBRARY HEADER SCRATCH: the guard is content with the library itself, and fails with a sentence
# for each of the libraries and headers in SCRATCH, in which something is not as it was.
set -euo pipefail
check=$1 library=$2 header=$3 scratch=$4
records=$scratch/records
rm -rf "$records" && mkdir -p "$records"
failures=0

# expect STATUS LIBRARY HEADER RENEW WORDS...: RENEW is --renew or empty; all words are in the output.
expect() {
  local wanted=$1 name="$2 $3 $4" status=0 output words
  output=$("$check" ${4:+"$4"} --records "$records" "$2" "$3" 2>&1) || status=$?
  shift 4
  if [ $status -eq 77 ]; then
    printf '%s\n' "$output"
    exit 77
  fi
  for words in "$@"; do
    if [ $status -ne "$wanted" ] || ! grep -qF "$words" <<<"$output"; then
      printf 'FAILED: %s: exit status %s, expected %s and "%s":\n%s\n' "$name" "$status" "$wanted" "$words" "$output"
      failures=$((failures + 1))
    else
      printf 'as it should be: exit status %s, "%s"\n' "$status" "$words"
    fi
  done
}
of() { echo "$scratch/$1/libabi_$1.so"; }
header_of() { echo "$scratch/$1/capi/freeridge.h"; }

broken='The interface is broken'
expect 2 "$library" "$header" '' 'There is no record'
expect 0 "$library" "$header" --renew 'recorded in'
expect 0 "$library" "$header" '' 'is the recorded one'
[ "$(grep -c '^constant ' "$records/declarations.txt")" -ge 44 ] || { echo "FAILED: few constants"; failures=$((failures + 1)); }

# What is broken is found, and is not recorded, whatever is asked for.
before=$(cat "$records"/*)
expect 1 "$(of changed_call)" "$(header_of changed_call)" --renew "$broken" freeridge_get_threads
expect 1 "$(of removed_call)" "$(header_of removed_call)" '' "$broken" freeridge_build_info
expect 1 "$library" "$(header_of changed_constant)" --renew "$broken" 'FREERIDGE_ROW_MAJOR was freeridge_layout 2, and is freeridge_layout 3'
expect 1 "$library" "$(header_of removed_constant)" '' "$broken" 'FREERIDGE_ROW_MAJOR was freeridge_layout 2, and is gone'
expect 2 "$library" "$(header_of renamed_argument)" '' 'is  call freeridge_set_threads freeridge_status number:int32_t'
[ "$before" = "$(cat "$records"/*)" ] || { echo "FAILED: the records have changed"; failures=$((failures + 1)); }

# What was added is found, too, and is recorded when that is asked for. Fields may be added at the end of a struct.
expect 2 "$library" "$(header_of struct)" '' 'struct freeridge_a size:int64_t'
expect 0 "$library" "$(header_of struct)" --renew 'recorded in'
expect 0 "$library" "$(header_of longer_struct)" --renew 'recorded in'
expect 1 "$library" "$(header_of struct)" '' "$broken" 'struct freeridge_a was :int64_t :double, and is :int64_t'
rm -f "$records"/*
expect 0 "$library" "$header" --renew 'recorded in'
expect 2 "$(of added_call)" "$(header_of added_call)" '' freeridge_added 'CURRENT + 1, AGE + 1, REVISION = 0'
expect 0 "$(of added_call)" "$(header_of added_call)" --renew 'recorded in'
expect 1 "$library" "$header" '' "$broken" freeridge_added
[ $failures -eq 0 ]

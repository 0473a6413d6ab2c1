#!/usr/bin/env bash
# run.sh PROGRAMS WORK MINUTES [TARGET...]: each fuzzer of the folder PROGRAMS for MINUTES, with the committed corpus and
# what earlier runs left in WORK/<target>/corpus as a start. Findings are files WORK/<target>/crash-..., timeout-...,
# oom-...; a run with one ends with 1, and says what to do.
set -uo pipefail
programs=$1 work=$2 minutes=$3
shift 3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
[ $# -gt 0 ] || set -- sequences numbers files
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}
code=0
for target in "$@"; do
  case $target in
    sequences | numbers) length=600 ;;
    files) length=4096 ;;
    *) echo "no such target: $target (sequences, numbers, files)" >&2; exit 2 ;;
  esac
  folder=$work/$target
  mkdir -p "$folder/corpus"
  seeds=("$here/corpus/$target")
  [ "$target" != files ] || seeds+=("$here/../data/saved")
  before=$(ls "$folder" | grep -cE '^(crash|timeout|oom|leak|slow-unit)-' || true)
  "$programs/fuzz_$target" -max_total_time=$((minutes * 60)) -max_len=$length -timeout=60 -report_slow_units=60 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 -artifact_prefix="$folder/" "$folder/corpus" "${seeds[@]}" \
    >"$folder/log" 2>&1 || code=1
  after=$(ls "$folder" | grep -cE '^(crash|timeout|oom|leak|slow-unit)-' || true)
  awk -v target="$target" -v found=$((after - before)) '/^stat::number_of_executed_units/ {
    print target ": " $2 " inputs tried, " (found == 0 ? "no finding" : "findings: " found) }' "$folder/log"
  [ "$after" -eq "$before" ] || {
    code=1
    grep -m 3 -E '^WRONG|ERROR: |runtime error' "$folder/log"
    echo "$target: findings in $folder, what was said in $folder/log"
  }
done
if [ $code -ne 0 ]; then
  cat <<WORDS
What to do with a finding FILE of a target:
  1. $programs/fuzz_<target> FILE                                   shows it again
  2. $programs/fuzz_<target> -minimize_crash=1 -runs=20000 FILE     makes it smaller
  3. mend the cause, with a test that names it
  4. put the input into tests/fuzz/corpus/<target>, under a name that says what it was: ctest -R fuzz replays it
WORDS
fi
exit $code

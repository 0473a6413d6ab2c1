#!/usr/bin/env bash
# on_gpu.sh BUILD [DEVICE]: the checks that need a GPU (./dev test-device), with the programs of a build: the operations of
# an Engine, also under compute-sanitizer where there is one; the routes on a device against the oracles of the CPU's tests;
# and on_gpu. DEVICE: 1, the first one.
set -u
export FREERIDGE_TEST_DEVICE=${2:-1} GTEST_BRIEF=1
tests=$1/tests code=0
run() {
  printf '== %s\n' "$*"
  "$@" || code=1
}
run "$tests/device/device_tests" --gtest_filter='*EngineTest*Asked*:Device.*'
sanitizer=$(command -v compute-sanitizer || echo /usr/local/cuda/bin/compute-sanitizer)
[ ! -x "$sanitizer" ] || run "$sanitizer" --error-exitcode 1 "$tests/device/device_tests" --gtest_filter='*EngineTest*Asked*'
run "$tests/core/core_tests" --gtest_filter='*OnDevice*:Routes*:Divisions*:ErrorRate*:Scale*:Tiles*'
run "$tests/device/on_gpu" "$FREERIDGE_TEST_DEVICE"
exit $code

#!/usr/bin/env bash
# on_gpu.sh FOLDER [DEVICE]: the checks that need a GPU (./dev test-device), with the programs in FOLDER: the operations of
# an Engine, the routes on a device against the oracles of the CPU's tests, and on_gpu. DEVICE: 1, the first one.
set -u
folder=$1 device=${2:-1} code=0
export FREERIDGE_TEST_DEVICE=$device OPENBLAS_NUM_THREADS=${OPENBLAS_NUM_THREADS:-} GTEST_BRIEF=1
[ -n "$OPENBLAS_NUM_THREADS" ] || unset OPENBLAS_NUM_THREADS
run() {
  printf '== %s\n' "$*"
  "$@" || code=1
}
run "$folder/device_tests" --gtest_filter='*EngineTest*Asked*:Device.*'
run "$folder/core_tests" --gtest_filter='*OnDevice*:*Routes*:Divisions*:ErrorRate*:Scale*:Tiles*'
run "$folder/on_gpu" "$device"
exit $code

#!/bin/sh
# no_memory.sh [COUNT]: an R session whose memory fails, see no_memory.R; at most COUNT requests of each work, 40 by
# default. R_LIBS says where the package is.
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
${CXX:-g++} -std=c++20 -O1 -fPIC -shared -I"$here/.." "$here/no_memory.cpp" -o "$folder/no_memory.so" -ldl
LD_PRELOAD="$folder/no_memory.so" OPENBLAS_NUM_THREADS=1 \
  Rscript --vanilla "$here/no_memory.R" "${1:-40}" "$folder/no_memory.so"

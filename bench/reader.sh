#!/bin/sh
# Rows from a file beside rows in memory (reader.cpp), in pairs, one after the other:
#     reader.sh READER FOLDER [pairs]      READER: the program; FOLDER: has room for 4 GB
# Says the CPU seconds and the most memory of each, and of each pair the ratio of the seconds.
set -eu
reader=$1 folder=$2 pairs=${3:-3}
pair() {
  name=$1 n=$2 d=$3 landmarks=${4:-}
  file=$folder/rows-$name.raw
  [ -e "$file" ] || "$reader" make "$file" "$n" "$d"
  for _ in $(seq "$pairs"); do
    # shellcheck disable=SC2086
    read=$("$reader" read "$file" "$n" "$d" $landmarks) memory=$("$reader" memory "$file" "$n" "$d" $landmarks)
    printf '%s\n%s\n%s\n' "$name" "$read" "$memory"
    printf '%s\n%s\n' "$memory" "$read" | awk '{
      for (k = 1; k < NF; ++k) {
        if ($k == "factorize") f[NR] = $(k + 1)
        if ($k == "score") s[NR] = $(k + 1)
        if ($k == "together") t[NR] = $(k + 1)
      }
    } END { printf "read / memory: factorize %.2f, score %.2f, together %.2f\n", f[2] / f[1], s[2] / s[1], t[2] / t[1] }'
  done
  rm "$file"
}
pair linear 10000000 50
pair landmarks 1000000 8 1000

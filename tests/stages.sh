# shellcheck shell=bash
# The stages of ./dev test, test-deep and test-blas, which source this file: dev has what they use (root, logs, jobs,
# compile, r_tarball, ...). Each stage runs in that shell with its output in a log, and sets `passed`, `failed` and
# `not_run`: what cannot be had here.

stage_format() {
  if ! clang_format >/dev/null; then
    say "not run: there is no clang-format 14 here, whose layout the sources have"
    not_run=1
    return
  fi
  check_format && passed=1
}

# The folders of libcore that the folder $1 may include, beside itself; fails for a folder that has no place among the layers.
may_include() {
  case $1 in
    base) ;;
    linalg) say "base" ;;
    rows) say "base linalg" ;;
    kernel) say "base linalg rows" ;;
    data | device) say "base linalg rows kernel" ;;
    factor) say "base linalg rows kernel data" ;;
    spectrum) say "base linalg rows kernel data factor" ;;
    routes) say "base linalg rows kernel data device factor spectrum" ;;
    select) say "base linalg rows kernel data device factor spectrum routes" ;;
    model | classical | losses) say "base linalg rows kernel data device factor spectrum routes select" ;;
    stream) say "base linalg rows kernel data device factor spectrum routes select model" ;;
    *) return 1 ;;
  esac
}

# The layers: BLAS and LAPACK are called in libcore/linalg alone, and includes point one way. Their headers are included
# by lapack_calls.hpp alone, and LAPACKE's functions that ask for memory are not called at all: all memory comes from
# operator new, and what it refuses is OUT_OF_MEMORY.
stage_layers() {
  local folders=(libcore/*/) folder layer other allowed
  if grep -rnE '\b(FREERIDGE_(BLAS|LAPACK)|fortran::|lapack_calls\.hpp|openblas_)' libcore capi --include='*.cpp' --include='*.hpp' | grep -v '^libcore/linalg/'; then
    say "BLAS or LAPACK outside libcore/linalg"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
  # (blas_library.cpp asks a BLAS for its name and threads, by functions of its own.)
  if grep -rnE '\b(LAPACKE?_[a-z]|cblas)|<lapacke|<R_ext|extern "C"' libcore --include='*.cpp' --include='*.hpp' |
    grep -vE '^libcore/linalg/(lapack_calls.hpp|blas_library.cpp):'; then
    say "BLAS or LAPACK by another way than libcore/linalg/lapack_calls.hpp"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
  # MPI, ScaLAPACK and ELPA: in mpi alone.
  if grep -rnE '<(mpi|elpa/elpa)\.h>|\b(MPI_[A-Z][a-z]|Cblacs_|pd[a-z]{5}_\()' libcore capi rpkg/src --include='*.cpp' --include='*.hpp' --include='*.h'; then
    say "MPI or ScaLAPACK outside mpi"
    failed=$((failed + 1))
  else
    passed=$((passed + 1))
  fi
  for folder in "${folders[@]}"; do
    layer=$(basename "$folder")
    if ! allowed=$(may_include "$layer"); then
      say "libcore/$layer has no place among the layers"
      failed=$((failed + 1))
      continue
    fi
    for other in capi mpi rpkg "${folders[@]}"; do
      other=${other%/}
      case " $layer $allowed " in *" ${other#libcore/} "*) continue ;; esac
      if grep -rnE "#include \"(\.\./)*$other/" "libcore/$layer"; then
        say "libcore/$layer includes $other, which it may not"
        failed=$((failed + 1))
      else
        passed=$((passed + 1))
      fi
    done
  done
}

# ctest_stage PRESET [ctest argument...]: one BLAS thread a test, or blas_threads; together as many as there are cores,
# as threads of OpenMP and BLIS wait for each other without letting go of their core: with more of them than cores a
# test takes ten times as long, and more.
ctest_stage() {
  local preset=$1 report=$root/build/$1/tests.xml single=$root/build/$1/gtest
  shift
  rm -rf "$report" "$single"
  local threads=${blas_threads:-1} at_once
  at_once=$((jobs > threads ? jobs / threads : 1))
  OPENBLAS_NUM_THREADS=$threads ctest --preset "$preset" --parallel "$at_once" --no-tests=error --output-junit "$report" "$@"
  local code=$?
  read -r passed failed not_run < <(python3 -B tests/count.py "$report" "$single") || return
  return $code
}

stage_tests() { compile development && ctest_stage development --label-exclude '^(valgrind|deep|mpi)$'; }

# libfreeridge_mpi by mpirun on this machine: 1, 2 and 4 ranks against one process.
stage_mpi() {
  compile development || return
  if [ ! -e build/development/mpi/libfreeridge_mpi.so ]; then
    say "not run: there is no MPI or no ScaLAPACK here (Debian: libopenmpi-dev openmpi-bin libscalapack-openmpi-dev)"
    not_run=1
    return
  fi
  ctest_stage development --label-regex '^mpi$'
}

stage_deep() { compile development && ctest_stage development --label-regex '^deep$' --label-exclude '^valgrind$'; }
# valgrind knows no AVX-512.
stage_valgrind() {
  [ "${OPENBLAS_CORETYPE:-}" != SkylakeX ] || local -x OPENBLAS_CORETYPE=Haswell
  compile development && ctest_stage development --label-regex '^valgrind$'
}
stage_thread_sanitizer() { compile tsan && ctest_stage tsan; }

# With AddressSanitizer and UndefinedBehaviorSanitizer: the C programs, which make every call, and the fuzzers' corpus; or
# all tests.
stage_sanitized_calls() {
  compile calls && ASAN_OPTIONS=detect_leaks=1 ctest_stage calls --label-regex '^sanitize$'
}
stage_sanitizers() { compile asan && ASAN_OPTIONS=detect_leaks=1 ctest_stage asan --label-exclude '^deep$'; }

# clang-tidy 14 with the checks of .clang-tidy, on the library's files as they are compiled, sixteen at a time: each such unit
# is one count. (The units include sources, which is what the one check is about.)
stage_tidy() {
  configure tidy || return
  sed -i 's/ -femit-struct-debug-baseonly//' build/tidy/compile_commands.json  # which GCC alone knows
  # shellcheck disable=SC2016
  python3 -c 'import json; [print(unit["file"]) for unit in json.load(open("build/tidy/compile_commands.json"))]' |
    sort -u | xargs -P "$jobs" -I{} sh -c '
    if found=$(clang-tidy-14 -p build/tidy --quiet --checks=-bugprone-suspicious-include "$1" 2>/dev/null); then echo "tidy: $1"
    else echo "$found"; echo "not tidy: $1"; fi' _ {} | tee "$logs/tidy.txt"
  passed=$(grep -c '^tidy: ' "$logs/tidy.txt" || true)
  failed=$(grep -c '^not tidy: ' "$logs/tidy.txt" || true)
}

# Each source of the library by itself, read but not compiled: units of sixteen files hide an include that one of them lacks.
stage_each_file() {
  # shellcheck disable=SC2016
  find libcore capi -name '*.cpp' | sort | xargs -P "$jobs" -I{} sh -c '
    if g++ -std=c++20 -fsyntax-only -w -I. -Icapi "$1"; then echo "complete: $1"; else echo "not complete: $1"; fi' _ {} |
    tee "$logs/each_file.txt"
  passed=$(grep -c '^complete: ' "$logs/each_file.txt" || true)
  failed=$(grep -c '^not complete: ' "$logs/each_file.txt" || true)
}

# The tests that go through BLAS or LAPACK (the label blas), with those of the folders of "$1" under /usr/lib/<machine> and
# $2 threads; $3: a filter of GoogleTest. The loader finds libblas.so.3 and liblapack.so.3 there, as Debian's alternatives
# would have it. BLIS with threads of its own cannot be told a number there, and has one thread always, as threads.hpp asks
# of its users: $2 are the core's.
stage_blas() {
  local folder folders="" path library blis=$2
  case $1 in *blis-pthread*) blis=1 ;; esac
  for folder in $1; do
    path=/usr/lib/$(gcc -print-multiarch)/$folder
    [ -d "$path" ] || { say "not run: there is no $path"; not_run=1; return; }
    folders+=${folders:+:}$path
  done
  compile development || return
  local -x LD_LIBRARY_PATH=$folders GTEST_FILTER=${3:-*}
  ldd build/development/libfreeridge.so | tee "$logs/blas.txt"
  for library in libblas liblapack; do
    path=$(awk -v name=$library.so.3 '$1 == name { print $3 }' "$logs/blas.txt")
    case ":$folders:" in *":${path%/*}:"*) ;; *) say "$library is $path"; return 1 ;; esac
  done
  OMP_NUM_THREADS=$2 BLIS_NUM_THREADS=$blis blas_threads=$2 ctest_stage development --label-regex '^blas$'
}

# The R package in sessions of its own: with garbage collected at each allocation, without memory, interrupted.
stage_r_sessions() {
  r_is_current || r_install || return
  local -x R_LIBS=$r_library
  attempt Rscript --vanilla tests/r/gctorture.R
  attempt sh tests/r/no_memory.sh
  attempt python3 -B tests/r/interrupts.py
  attempt python3 -B tests/r/prompt.py each
  R_KEEP_PKG_SOURCE=yes r_development --with-keep.source
  R_LIBS=$r_development_library attempt Rscript --vanilla tests/r/coverage.R rpkg/tests/testthat
}

# The R package as a plain R has it: compiled from the tarball with Rcpp, RcppEigen and what comes with R, and its tests
# with the reference BLAS and LAPACK. Tests that need other packages are skipped by name.
stage_r_plain() {
  local library=$root/build/r-plain path folders blas lapack
  folders=/usr/lib/$(gcc -print-multiarch)
  blas=$folders/blas/libblas.so.3 lapack=$folders/lapack/liblapack.so.3
  for path in "$blas" "$lapack"; do
    [ -f "$path" ] || { say "not run: there is no $path"; not_run=1; return; }
  done
  rm -rf "$library" && mkdir -p "$library" && r_tarball && Rscript --vanilla tests/r/plain.R library "$library" || return
  local -x R_LIBS='' R_LIBS_SITE=$library R_LIBS_USER=$library NOT_CRAN=true
  MAKEFLAGS=-j$jobs R CMD INSTALL --library="$library" "$tarball" || return
  # Before those of libR, in the sessions that the tests start, too. (R puts the machine's own folders before
  # LD_LIBRARY_PATH.)
  LD_PRELOAD=$blas:$lapack Rscript --vanilla tests/r/plain.R tests rpkg/tests/testthat "$blas" "$lapack" | tee "$logs/r_plain.txt"
  count_expectations "$logs/r_plain.txt"
}

# A word of dev, one count.
stage_word() { attempt "$root/dev" "$@"; }

# R CMD check of the tarball: its items passed, its errors and warnings failed (notes are shown), and the R tests that it
# ran. Of the packages in Suggests some are not in Debian: their tests are skipped by name.
stage_r_check() {
  rm -rf "$r_build/freeridge.Rcheck"
  r_tarball || return
  echo 'CXX20FLAGS += -g0' >"$r_build/Makevars"  # a quarter of the compile time; the linker drops what -g adds
  (cd "$r_build" && R_MAKEVARS_USER=$r_build/Makevars _R_CHECK_FORCE_SUGGESTS_=false NOT_CRAN=true MAKEFLAGS=-j$jobs \
    R CMD check --no-manual --ignore-vignettes "$tarball")
  local log=$r_build/freeridge.Rcheck/00check.log items errors
  grep -E 'WARNING$|NOTE$|^Status' "$log" || true
  items=$(grep -cE '^\* .*\.\.\. .*OK$' "$log" || true)
  errors=$(sed -nE 's/^Status: //p' "$log" | grep -oE '[0-9]+ (ERROR|WARNING)' | awk '{ n += $1 } END { print n + 0 }')
  grep -q '^Status: ' "$log" || return
  count_expectations "$r_build"/freeridge.Rcheck/tests/testthat.Rout* || errors=$((errors + 1))
  passed=$((passed + items)) failed=$((failed + errors))
}

# count_expectations FILE...: testthat's summary in them, one count for each expectation. A skipped test did not pass: it
# was not run.
count_expectations() {
  local summary
  summary=$(grep -hoE '\[ FAIL [0-9]+ \| WARN [0-9]+ \| SKIP [0-9]+ \| PASS [0-9]+ \]' "$@" | tail -n 1)
  say "$summary"
  [ -n "$summary" ] || return
  read -r failed not_run passed < <(say "$summary" | awk '{ print $3, $9, $12 }')
}

# The R tests with the package on the library of the build development (r_development in dev).
stage_r_tests() {
  r_development || return
  local code=0
  (cd "$root/rpkg/tests" && R_LIBS=$r_development_library NOT_CRAN=true OPENBLAS_NUM_THREADS=1 Rscript --vanilla testthat.R) \
    >"$logs/testthat.txt" 2>&1 || code=1
  cat "$logs/testthat.txt"
  count_expectations "$logs/testthat.txt" && return $code
}

# The vignettes: each is built by its own engine, in an R session of its own,
# and stops where a number is not what its text says. Makes what R CMD build puts into inst/doc.
stage_vignettes() {
  r_is_current || r_install || return
  local folder=$root/build/vignettes page
  rm -rf "$folder" && mkdir -p "$folder" && cp "$root"/rpkg/vignettes/*.Rmd "$folder" && cd "$folder" || return
  local -x R_LIBS=$r_library
  for page in *.Rmd; do
    attempt Rscript --vanilla -e "tools::buildVignette('$page', buildPkg = 'knitr', tangle = FALSE)"
    attempt test -s "${page%.Rmd}.html"
  done
  cd "$root" || return
}

# The R of README.md and docs/limits.md: all of its blocks; or with the argument 1 the first one, whose output README.md shows.
readme_r() {
  awk -v most="${1:-0}" '$0 == "```r" { on = ++n <= most || !most; next } /^```/ { on = 0 } on' "$root/README.md" "$root/docs/limits.md"
}

# Runs the first block, and compares what it prints with what README.md shows.
readme_prints() {
  readme_r 1 >first.R && Rscript --vanilla first.R >first.out && cat first.out &&
    python3 -B "$root/tests/docs/pages.py" printed "$root/README.md" r first.out
}

# The six lines of README.md, after those that install: they draw a picture.
readme_six_lines() {
  awk '$0 == "```R" { on = 1; next } /^```/ { on = 0 } on && /^library/ { go = 1 } on && go' "$root/README.md" >six.R
  [ "$(wc -l <six.R)" = 4 ] && Rscript --vanilla six.R && test -s Rplots.pdf
}

# The R package at a prompt, in a pseudo-terminal.
stage_r_prompt() {
  if ! python3 -c 'import os; os.openpty()'; then
    say "not run: there is no pseudo-terminal here"
    not_run=1
    return
  fi
  R_LIBS=$r_development_library OPENBLAS_NUM_THREADS=1 attempt python3 -B tests/r/prompt.py
}

# attempt COMMAND...: one count.
attempt() {
  say "-- $*"
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
}

# What a new user runs: the README's R (its C is a test: docs.Programs), with the package of the stages before, and the demo.
stage_examples() {
  local folder=$root/build/examples
  rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || return
  local -x R_LIBS=$r_development_library
  attempt readme_prints
  attempt readme_six_lines
  readme_r >readme.R
  attempt Rscript --vanilla readme.R
  attempt Rscript --vanilla "$root/examples/demo.R"
  attempt test -s freeridge-demo.png
  attempt env FREERIDGE_TEST_DATA="$root/tests/data" \
    FREERIDGE_LIBRARY="$root/build/development/libfreeridge.so" \
    FREERIDGE_FIVE_SETS_C="$root/build/development/tests/ffi/five_sets" \
    FREERIDGE_FIVE_SETS_R="Rscript --vanilla $root/examples/r/five_sets.R" \
    python3 "$root/tests/ffi/five_sets_test.py" SameBits.test_r
  cd "$root" || return
}

# add_core_seconds: what this shell's commands have used of all cores so far, in $core_seconds.
add_core_seconds() {
  local file=$logs/times.$BASHPID  # (a pipe or $(times) would be another shell)
  times >"$file"
  core_seconds=$(awk 'NR == 2 { gsub("[ms]", " "); printf "%d", 60 * ($1 + $3) + $2 + $4 }' "$file")
}

# run_stage TITLE COMMAND...: if the title holds what was asked for ($wanted).
run_stage() {
  local title=$1 start=$SECONDS log core_seconds before
  [[ $title == *"${wanted:-}"* ]] || return 0
  shift
  log=$logs/$(tr -c 'a-z0-9\n' _ <<<"$*").log
  passed=0 failed=0 not_run=0
  say "== $title"
  add_core_seconds
  before=$core_seconds
  "$@" >"$log" 2>&1 || failed=$((failed > 0 ? failed : 1))
  [ $((passed + failed + not_run)) -gt 0 ] || failed=1
  if [ "$failed" -gt 0 ]; then
    grep -vE '^ +Start +[0-9]+: |Test +#[0-9]+: .* Passed ' "$log" | tail -n 100  # not the tests that passed
    say "== $title FAILED, the whole log is $log"
  fi
  total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed))
  [ "$not_run" -eq 0 ] || say "== $title: $not_run not run, as what they need is not here; see $log"
  add_core_seconds
  table+=$(printf '%-34s %8d %8d %8d %8d %8d' "$title" "$passed" "$failed" "$not_run" $((SECONDS - start)) \
    $((core_seconds - before)))$'\n'
}

# run_stages LIST: the table of the stages in it, and the sum.
run_stages() {
  total_passed=0 total_failed=0 table=""
  local start=$SECONDS
  rm -rf "$logs" && mkdir -p "$logs"
  "$1"
  [ -n "$table" ] || say "no stage has \"$wanted\" in its title"
  printf '\n%-34s %8s %8s %8s %8s %8s\n%s' stage passed failed "not run" seconds "of cores" "$table"
  printf '%-34s %8d %8d %8s %8d\n\n' all "$total_passed" "$total_failed" "" $((SECONDS - start))
  say "$total_passed passed, $total_failed failed"
  [ "$total_failed" -eq 0 ] && [ -n "$table" ]
}

# side_by_side LIST...: the stages of each list one after the other, the lists at the same time: compilers keep the cores
# busy that R, which has one thread, leaves free.
side_by_side() {
  local list rows sums
  for list; do
    (
      total_passed=0 total_failed=0 table=""
      "$list"
      printf '%d %d\n%s' "$total_passed" "$total_failed" "$table" >"$logs/$list.rows"
    ) &
  done
  wait
  for list; do
    sums="0 1" rows="$list ended early"$'\n'
    [ ! -f "$logs/$list.rows" ] || { sums=$(head -n 1 "$logs/$list.rows") rows=$(tail -n +2 "$logs/$list.rows")$'\n'; }
    table+=$rows total_passed=$((total_passed + ${sums% *})) total_failed=$((total_failed + ${sums#* }))
  done
}

sanitized_stages() { run_stage "calls and corpus, ASan and UBSan" stage_sanitized_calls; }

r_stages() {
  run_stage "R tests" stage_r_tests
  run_stage "R at a prompt" stage_r_prompt
  run_stage "examples and demo" stage_examples
}

quick_stages() {
  run_stage "format" stage_format
  run_stage "layers" stage_layers
  run_stage "tests" stage_tests
  run_stage "MPI: 1, 2 and 4 ranks" stage_mpi
  side_by_side sanitized_stages r_stages  # each about as long as the other
}

deep_stages() {
  run_stage "tests that take long" stage_deep
  run_stage "C tests, valgrind" stage_valgrind
  run_stage "threads, TSan" stage_thread_sanitizer
  run_stage "all tests, ASan and UBSan" stage_sanitizers
  each_blas 2  # "tests" has one thread; test-blas has both
  run_stage "R CMD check" stage_r_check
  run_stage "R vignettes" stage_vignettes
  run_stage "the site" stage_word docs
  run_stage "R: gctorture, memory, interrupts" stage_r_sessions
  run_stage "R tests, plain R, reference BLAS" stage_r_plain
  run_stage "clang-tidy" stage_tidy
  run_stage "each file by itself" stage_each_file
  run_stage "coverage" stage_word coverage
  run_stage "mutants" stage_word mutants 100
  run_stage "fuzz, $fuzz_minutes minutes" stage_word fuzz "$fuzz_minutes"
}

# Each BLAS with $1 threads.
each_blas() {
  run_stage "OpenBLAS pthread, $1" stage_blas openblas-pthread "$1"
  run_stage "OpenBLAS OpenMP, $1" stage_blas openblas-openmp "$1"
  run_stage "BLIS pthread, $1" stage_blas "blis-pthread lapack" "$1"
  run_stage "BLIS OpenMP, $1" stage_blas "blis-openmp lapack" "$1"
}

blas_stages() {
  each_blas 1
  each_blas 2
  # About 1 Gflop/s: each route, criterion and solver, not their large problems.
  run_stage "reference BLAS" stage_blas "blas lapack" 1 \
    '*Exactness*:*Routes*:*Every*Landmarks.*:*Diagnostics*:*SelectLambda*:Score*:Ols*:Ridge*:Tls*:Pinv*:*Nist*:Stream*:Logistic*:Hinge*:Blas*:Banded*'
}

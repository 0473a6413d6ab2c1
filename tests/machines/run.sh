#!/usr/bin/env bash
# The library on another kind of machine, by emulation on this one: tests/machines/run.sh arm64|s390x|windows FOLDER
#   - a cross compiler builds the library in FOLDER (Debian's; minutes)
#   - the C programs of tests/capi/c run: every call with good arguments, checked by identities
#   - saved files of each kind go from here to there and back, and tell the same (saved_elsewhere.c)
# BLAS and LAPACK: OpenBLAS of Debian for that machine, unpacked into FOLDER; for Windows the reference library, compiled
# from Debian's source. The compiler and the emulator are there: `./dev test-machine` installs them.
# The last line: "N passed, N failed", of programs.
set -euo pipefail
machine=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
host=${FREERIDGE_HOST_BUILD:-$root/build/development}  # with libfreeridge.so for this machine
jobs=$(nproc)
unset CFLAGS CXXFLAGS LDFLAGS

# Until the programs run, what is said goes to a log, whose end is shown where something fails.
exec 3>&1 4>&2 >"$folder/log" 2>&1
trap '[ $? -eq 0 ] || tail -n 30 "$folder/log" >&4' EXIT

case $machine in
  arm64) triple=aarch64-linux-gnu emulator=qemu-aarch64 ;;
  s390x) triple=s390x-linux-gnu emulator=qemu-s390x ;;
  windows) triple=x86_64-w64-mingw32 emulator=/usr/lib/wine/wine64 ;;
  *)
    echo "run.sh: no machine is called $machine" >&4
    exit 2
    ;;
esac

# apt of another architecture, or with sources, which knows nothing of this system's packages.
apt_elsewhere() {
  mkdir -p "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
  apt-get -q -o Dir::State::Lists="$folder/apt/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$folder/apt/cache" \
    -o APT::Sandbox::User=root -o Debug::NoLocking=1 "$@"
}

# The BLAS for a Linux machine: its folders in $libraries (a path) and $blas_options (of CMake).
linux_blas() {
  local of=(-o APT::Architecture="$machine" -o APT::Architectures="$machine") there=$folder/root/usr lib
  if [ ! -d "$there" ]; then
    mkdir -p "$folder/debs"
    apt_elsewhere "${of[@]}" update
    (cd "$folder/debs" && apt_elsewhere "${of[@]}" download libopenblas0-pthread libopenblas-pthread-dev liblapacke \
      liblapacke-dev libtmglib3 libgfortran5)
    for package in "$folder"/debs/*.deb; do dpkg -x "$package" "$folder/root"; done
  fi
  lib=$there/lib/$triple
  libraries=$lib/openblas-pthread:$lib
  blas_options=(-D BLAS_LIBRARIES="$lib/openblas-pthread/libopenblas.so" -D LAPACK_LIBRARIES="$lib/openblas-pthread/libopenblas.so"
    -D FREERIDGE_CBLAS_INCLUDE="$there/include/$triple/openblas-pthread" -D FREERIDGE_LAPACKE_INCLUDE="$there/include"
    -D FREERIDGE_LIBRARY_lapacke="$lib/liblapacke.so" -D CMAKE_SHARED_LINKER_FLAGS="-Wl,-rpath-link,$libraries"
    -D CMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries")
}

# The same for Windows: one library of BLAS, CBLAS, LAPACK and LAPACKE.
windows_blas() {
  local there=$folder/root source
  if [ ! -f "$there/libblas.dll" ]; then
    mkdir -p "$there/include"
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | sort -u >"$folder/sources.list"
    local of=(-o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=/dev/null)
    apt_elsewhere "${of[@]}" update
    (cd "$folder" && apt_elsewhere "${of[@]}" source --download-only lapack && tar xf lapack_*.orig.tar.*)
    source=$(echo "$folder"/lapack-*/)
    sed -i 's/COMMAND test_z.*/COMMAND true/' "$source/CMakeLists.txt"  # which would run on the machine that compiles
    cmake -S "$source" -B "$folder/lapack" -G Ninja "${toolchain[@]}" -D CMAKE_BUILD_TYPE=Release -D CBLAS=ON -D LAPACKE=ON \
      -D BUILD_TESTING=OFF -D BUILD_SINGLE=OFF -D BUILD_COMPLEX=OFF -D BUILD_COMPLEX16=OFF -D LAPACKE_BUILD_SINGLE=OFF \
      -D LAPACKE_BUILD_COMPLEX=OFF -D LAPACKE_BUILD_COMPLEX16=OFF
    cmake --build "$folder/lapack" --parallel "$jobs" --target lapacke cblas lapack blas
    cp "$folder"/lapack/include/*.h "$there/include/"
    echo 'void sgemm_(void) {} void cheev_(void) {}' >"$folder/asked_for.c"  # what CMake knows a BLAS and a LAPACK by
    (cd "$folder/lapack/lib" && $triple-gfortran-posix -shared -o "$there/libblas.dll" -x c "$folder/asked_for.c" -x none \
      -Wl,--whole-archive liblapacke.a liblapack.a libcblas.a libblas.a -Wl,--no-whole-archive -Wl,--export-all-symbols \
      -Wl,--allow-multiple-definition -Wl,--out-implib,"$there/libblas.dll.a" -static-libgfortran -static-libgcc)
  fi
  libraries=$there
  blas_options=(-D BLAS_LIBRARIES="$there/libblas.dll.a" -D LAPACK_LIBRARIES="$there/libblas.dll.a"
    -D FREERIDGE_CBLAS_INCLUDE="$there/include" -D FREERIDGE_LAPACKE_INCLUDE="$there/include")
}

# program SOURCE: compiled for the machine, into FOLDER/bin.
program() {
  local suffix=() name
  name=$(basename "$1" .c)
  [ "$machine" != windows ] || suffix=("$folder/build/libfreeridge.dll.a")
  [ "$machine" = windows ] || suffix=("$folder/build/libfreeridge.so" "-Wl,-rpath-link,$libraries")
  $cc -O1 -std=c99 -I "$root/capi" "$1" -o "$folder/bin/$name.exe" "${suffix[@]}" -lm
}

# there WORD...: runs a program of FOLDER/bin on the machine.
there() {
  local path=("$folder/bin/$1.exe" "${@:2}")
  if [ "$machine" = windows ]; then
    (cd "$folder/bin" && WINEPREFIX=$folder/wine WINEDEBUG=-all timeout 1200 $emulator "${path[@]}")
  else
    timeout 1200 $emulator -L /usr/$triple -E LD_LIBRARY_PATH="$folder/build:$libraries" -E OPENBLAS_NUM_THREADS=1 "${path[@]}"
  fi
}

passed=0 failed=0
expect() {  # NAME COMMAND...: counts, and shows what a program that failed said
  local name=$1 said
  shift
  if said=$("$@" 2>&1); then
    passed=$((passed + 1))
    printf '%-34s %s\n' "$name" "$(tail -n 1 <<<"$said")"
  else
    failed=$((failed + 1))
    printf '%-34s FAILED\n%s\n' "$name" "$said"
  fi
}

system=Linux cc=$triple-gcc cxx=$triple-g++
[ "$machine" != windows ] || { system=Windows cc=$triple-gcc-posix cxx=$triple-g++-posix; }
toolchain=(-D CMAKE_SYSTEM_NAME=$system -D CMAKE_SYSTEM_PROCESSOR="$machine" -D CMAKE_C_COMPILER=$cc -D CMAKE_CXX_COMPILER=$cxx)
[ "$machine" != windows ] || toolchain+=(-D CMAKE_Fortran_COMPILER=$triple-gfortran-posix -D CMAKE_RC_COMPILER=$triple-windres)
if [ "$machine" = windows ]; then windows_blas; else linux_blas; fi
cmake -S "$root" -B "$folder/build" -G Ninja "${toolchain[@]}" "${blas_options[@]}" -D CMAKE_BUILD_TYPE=Release -D FREERIDGE_TESTS=OFF \
  -D FREERIDGE_MPI=OFF
cmake --build "$folder/build" --parallel "$jobs" --target freeridge

mkdir -p "$folder/bin" "$folder/files/here" "$folder/files/there"
if [ "$machine" = windows ]; then
  cp "$folder/build/libfreeridge.dll" "$libraries/libblas.dll" "$folder/bin/"
  for library in libstdc++-6.dll libgcc_s_seh-1.dll libwinpthread-1.dll libquadmath-0.dll; do
    cp "$($cc -print-file-name=$library)" "$folder/bin/" 2>/dev/null || cp "/usr/$triple/lib/$library" "$folder/bin/"
  done
fi
for source in "$root"/tests/capi/c/*.c "$root/tests/machines/saved_elsewhere.c"; do program "$source"; done
exec >&3 2>&4
trap - EXIT
for source in "$root"/tests/capi/c/*.c; do
  name=$(basename "$source" .c)
  expect "$name" there "$name"
done
cc -O1 -std=c99 -I "$root/capi" "$root/tests/machines/saved_elsewhere.c" -o "$folder/saved_here" -L "$host" -lfreeridge \
  -Wl,-rpath,"$host" -lm
expect "files written here" "$folder/saved_here" write "$folder/files/here"
expect "files written there" there saved_elsewhere write "$folder/files/there"
expect "files from here read there" there saved_elsewhere read "$folder/files/here"
expect "files from there read here" "$folder/saved_here" read "$folder/files/there"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

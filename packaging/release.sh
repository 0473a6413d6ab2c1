# shellcheck shell=bash
# ./dev release [PART ...]: what people install, made of the commit that is checked out, into build/release:
#     source   freeridge-VERSION.tar.gz                     the tree
#     r        freeridge_VERSION.tar.gz                     the R package, with vignettes, checked as CRAN does
#     debian   *.deb, with a source package                 built in a copy of the tree, and looked at by lintian
#     rust     freeridge-VERSION.crate
#     python   freeridge-VERSION.tar.gz (python/), *.whl    the library inside
#     notes    NOTES out of CHANGELOG.md, freeridge-VERSION.spdx.json, SHA256SUMS
# Without PART: all. dev sources this file, which has its functions (say, die, quietly, root, logs, jobs).

release=$root/build/release

release_version() {
  sed -nE 's/^#define FREERIDGE_VERSION_(MAJOR|MINOR|PATCH) ([0-9]+).*/\2/p' "$root/capi/freeridge.h" | paste -sd .
}

# The tree of the commit, unpacked anew: nothing that git does not know gets into a release.
unpacked_tree() {
  rm -rf "$release/tree" && mkdir -p "$release/tree"
  tar -C "$release/tree" -xzf "$release/freeridge-$version.tar.gz"
}

release_source() {
  git -C "$root" archive --prefix="freeridge-$version/" -o "$release/freeridge-$version.tar.gz" HEAD
}

# --as-cran without a network says of addresses and of the clock that they cannot be looked up: left out.
release_r() {
  (cd "$release" && R CMD build "$tree/rpkg" &&
    _R_CHECK_FORCE_SUGGESTS_=false _R_CHECK_CRAN_INCOMING_REMOTE_=false _R_CHECK_SYSTEM_CLOCK_=0 MAKEFLAGS=-j$jobs \
      R CMD check --as-cran --no-manual -o "$release/tree" "freeridge_$version.tar.gz") || return
  grep -E 'NOTE$|WARNING$|ERROR$|^Status' "$release/tree/freeridge.Rcheck/00check.log"
  ! grep -qE '^Status: .*(ERROR|WARNING)' "$release/tree/freeridge.Rcheck/00check.log"
}

release_debian() {
  local found
  cp -r "$tree/packaging/debian" "$tree/debian"
  {
    printf 'freeridge (%s) unstable; urgency=medium\n\n  * Version %s; see CHANGELOG.md.\n\n' "$version" "$version"
    printf ' -- freeridge authors <maintainer@freeridge.org>  %s\n' "$(git -C "$root" log -1 --format=%aD)"
  } >"$tree/debian/changelog"
  (cd "$tree" && DEB_BUILD_OPTIONS="parallel=$jobs" dpkg-buildpackage -us -uc -F) || return
  mkdir -p "$release/debian"
  mv "$release/tree"/*.deb "$release/tree"/*.dsc "$release/tree"/*.tar.xz "$release/tree"/*.changes "$release/tree"/*.buildinfo \
    "$release/debian" || return
  found=$(cd "$release/debian" && lintian --fail-on error,warning --info freeridge_*.changes 2>&1) || { say "$found"; return 1; }
}

release_rust() {
  local build=$release/tree/rust
  (cd "$tree/examples/rust" && CARGO_HOME=$build/home "$(command -v cargo)" package --offline --locked --allow-dirty --no-verify --target-dir "$build") &&
    cp "$build/package/freeridge-$version.crate" "$release"
}

release_python() {
  mkdir -p "$release/python"
  (cd "$tree/python" && python3 setup.py -q sdist --dist-dir "$release/python" &&
    python3 -m pip wheel -q --no-deps --no-build-isolation --no-index --wheel-dir "$release/python" "$release/python/freeridge-$version.tar.gz")
}

release_notes() {
  awk -v version="$version" '$0 ~ "^## \\[" version "\\]" { on = 1; next } /^## \[/ { on = 0 } on' "$root/CHANGELOG.md" >"$release/NOTES"
  [ -s "$release/NOTES" ] || { say "CHANGELOG.md has nothing of $version"; return 1; }
  python3 -B "$root/packaging/sbom.py" "$version" "$(git -C "$root" log -1 --format=%cI)" "$release" >"$release/freeridge-$version.spdx.json" &&
    (cd "$release" && find . -path ./tree -prune -o -type f ! -name SHA256SUMS -print | sort | sed 's|^\./||' | xargs sha256sum >SHA256SUMS)
}

run_release() {
  local part version tree parts=("$@")
  version=$(release_version)
  [ -z "$(git -C "$root" status --porcelain)" ] || die "there are changes that are not committed: a release is made of a commit"
  [ ${#parts[@]} -gt 0 ] || { parts=(source r debian rust python notes); rm -rf "$release"; }
  mkdir -p "$release"
  release_source && unpacked_tree || die "the source archive could not be made"
  tree=$release/tree/freeridge-$version
  for part in "${parts[@]}"; do
    declare -F "release_$part" >/dev/null || die "no such part of a release: $part"
    say "== $part"
    quietly "release_$part" "release_$part"
  done
  (cd "$release" && find . -path ./tree -prune -o -type f -printf '%10s  %P\n' | sort -k 2)
}

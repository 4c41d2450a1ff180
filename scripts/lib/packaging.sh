# shellcheck shell=bash
# What scripts/package and scripts/release do. Source this file after common.sh.

package_version() {
  sed -nE 's/.*kHourcellVersion = "([0-9.]+)".*/\1/p' server/config/version.h
}

# make_tarball <directory>: the tree of the last commit, which names the commit in it.
make_tarball() {
  local name
  name=hourcell-$(package_version)
  mkdir -p "$1"
  git archive --format=tar --prefix="$name/" HEAD | xz --threads=1 -6 >"$1/$name.tar.xz"
}

# release_notes <changelog> <section>: prints what is below "## <section>", up to the next section.
# Fails if there is nothing.
release_notes() {
  awk -v section="$2" '
    /^## / { is_wanted = $2 == section; next }
    is_wanted { print; lines += NF > 0 }
    END { exit lines == 0 }' "$1" || {
    printf '%s has nothing in a section "## %s"\n' "$1" "$2" >&2
    return 1
  }
}

# make_packages <directory of the tarball> <directory>: builds them in <directory>.
make_packages() {
  local version tree epoch cache
  version=$(package_version)
  tree=$2/hourcell-$version
  epoch=$(git log -1 --format=%ct)
  rm -rf "$2"
  mkdir -p "$2"
  tar -C "$2" -xf "$1/hourcell-$version.tar.xz"
  cp -r "$tree/scripts/debian" "$tree/debian"
  sed "s/@BUILD_DEPENDS@/$(packages_for build | paste -sd, | sed 's/,/, /g')/" \
    "$tree/debian/control.in" >"$tree/debian/control"
  printf 'hourcell (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$version" \
    'See CHANGELOG.md.' 'Hourcell developers <hourcell@example.org>' \
    "$(LC_ALL=C date -u -R -d "@$epoch")" >"$tree/debian/changelog"
  # debhelper gives the build another home, where ccache would find nothing.
  cache=$(ccache --get-config cache_dir 2>/dev/null || true)
  # -d: `step packages` installed what the build needs.
  (cd "$tree" && CCACHE_DIR=$cache SOURCE_DATE_EPOCH=$epoch LC_ALL=C.UTF-8 \
    dpkg-buildpackage -b -d -us -uc >../build.log 2>&1) || {
    tail -n 40 "$2/build.log"
    return 1
  }
}

# check_same_bytes <directory>: builds again, elsewhere and without a cache of compiled files.
check_same_bytes() {
  local again package
  again=$(mktemp -d)
  CCACHE_DISABLE=1 make_packages "$1" "$again/elsewhere"
  for package in "$1"/*.deb; do
    cmp "$package" "$again/elsewhere/$(basename "$package")"
  done
  rm -rf "$again"
}

# check_lintian <directory>: fails at errors; prints warnings.
check_lintian() {
  lintian --allow-root --fail-on error --tag-display-limit 0 "$1"/*.deb
}

# check_library <directory>: builds tests/install with what the packages have.
check_library() {
  local root version line
  root=$(mktemp -d)
  version=$(package_version)
  dpkg -x "$1/libhourcell-dev_${version}_amd64.deb" "$root"
  cmake -S tests/install -B "$root/consumer" -G Ninja -DCMAKE_PREFIX_PATH="$root/usr" >/dev/null
  cmake --build "$root/consumer" >/dev/null
  [[ $("$root/consumer/consumer" "$root/store") == '1356998400000 42.5' ]]
  # shellcheck disable=SC2046  # flags are words
  g++ tests/install/main.cc -o "$root/by-pkg-config" $(
    PKG_CONFIG_PATH=$(echo "$root"/usr/lib/*/pkgconfig) \
      pkg-config --define-variable=prefix="$root/usr" --cflags --libs hourcell)
  line=$("$root/by-pkg-config" "$root/store2")
  [[ $line == '1356998400000 42.5' ]]
  rm -rf "$root"
}

# check_container <directory>: the files, the user and the volumes of the recipe are the package's.
check_container() {
  local root recipe=scripts/oci/Containerfile name
  root=$(mktemp -d)
  dpkg -x "$1/hourcell_$(package_version)_amd64.deb" "$root"
  for name in $(sed -nE '/^(ENTRYPOINT|CMD) /s/"(\/[^"]*)"/\n\1\n/gp' "$recipe" | grep '^/'); do
    if [[ $name != /var/* && ! -e $root$name ]]; then
      printf '%s: the package has no %s\n' "$recipe" "$name" >&2
      return 1
    fi
  done
  grep -q "^u $(sed -n 's/^USER //p' "$recipe") " "$root/usr/lib/sysusers.d/hourcell.conf"
  for name in $(sed -n '/^VOLUME /s/[^ a-z/-]//gp' "$recipe"); do
    grep -q "^d $name " "$root/usr/lib/tmpfiles.d/hourcell.conf"
  done
  rm -rf "$root"
}

# check_fresh_system <directory>: a Debian 12 with nothing in it, made from the machine's mirror.
check_fresh_system() {
  local root result=0
  root=$(mktemp -d)
  make_debian "$root" systemd,ca-certificates,curl,man-db
  mkdir "$root/srv/check"
  cp "$1/hourcell_$(package_version)_amd64.deb" docs/operate.md scripts/lib/fresh_system \
    scripts/oci/Containerfile "$root/srv/check/"
  run_in_debian "$root" /srv/check/fresh_system "$(package_version)" || result=$?
  rm -rf "$root"
  return "$result"
}

# make_debian <directory> <packages>: a Debian 12 with these packages, separated by commas, and no
# others but apt. As root.
make_debian() {
  if ((EUID != 0)); then
    printf 'run as root: this makes a Debian and runs it\n' >&2
    return 1
  fi
  # The machine's own sources, keys included.
  mmdebstrap --quiet --variant=apt --skip=cleanup/apt/lists --include="$2" bookworm "$1" - \
    < <(apt_sources)
  cp /etc/resolv.conf /etc/hosts "$1/etc/"
}

# run_in_debian <directory> <command...>: a name space of its own ends what the command started.
run_in_debian() {
  local root=$1
  shift
  unshare --fork --pid --mount-proc="$root/proc" --kill-child chroot "$root" "$@"
}

# apt_sources: prints the sources of this machine, one per line.
apt_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.{list,sources}; do
    [[ -e $file ]] && cat "$file" && printf '\n'
  done
}

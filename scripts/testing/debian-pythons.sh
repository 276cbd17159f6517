#!/bin/sh
# Pythons that are newer than this system's, from Debian's packages: debian-pythons.sh FOLDER 3.14 3.15
# They are unpacked below FOLDER with a C library of their own, nothing is installed. FOLDER/bin on PATH has `npm test` find
# them. For tests by hand: the packages are those of Debian's unstable distribution, which has other ones next year.
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
shift
mkdir -p "$folder/apt/etc/apt.conf.d" "$folder/apt/etc/preferences.d" "$folder/apt/state/lists/partial" \
  "$folder/apt/cache/archives/partial" "$folder/root" "$folder/tools" "$folder/bin"
: >"$folder/apt/state/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" \
  >"$folder/apt/etc/sources.list"
apt() {
  apt-get -qq -o "Dir::Etc=$folder/apt/etc" -o "Dir::Etc::sourcelist=$folder/apt/etc/sources.list" -o Dir::Etc::sourceparts=- \
    -o "Dir::State=$folder/apt/state" -o "Dir::State::status=$folder/apt/state/status" -o "Dir::Cache=$folder/apt/cache" \
    -o APT::Sandbox::User=root "$@"
}
apt update
# shellcheck disable=SC2046
apt install --yes --download-only --no-install-recommends $(printf 'python%s ' "$@")
for package in "$folder"/apt/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder/root"; done
# The system's own: it makes the interpreters find their loader and libraries where they are.
(cd "$folder/tools" && apt-get -qq -o APT::Sandbox::User=root download patchelf && dpkg-deb -x patchelf_*.deb .)
libraries=$(dirname "$folder"/root/usr/lib/*-linux-gnu*/ld-linux-*.so.?)
for version in "$@"; do
  "$folder/tools/usr/bin/patchelf" --set-interpreter "$libraries"/ld-linux-*.so.? --force-rpath --set-rpath "$libraries" \
    "$folder/root/usr/bin/python$version"
  ln -sf "../root/usr/bin/python$version" "$folder/bin/python$version"
  "$folder/bin/python$version" -c 'import ctypes, sqlite3, ssl, sys; print(sys.executable, sys.version)'
done

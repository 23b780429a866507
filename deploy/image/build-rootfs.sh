#!/bin/sh
# Makes the file system of the image: deploy/image/build-rootfs.sh FOLDER [STEP…]
# The Dockerfile runs its steps. Without names all of them are run, and the folder can be started without Docker, too. As
# root on Debian or Ubuntu with Node 20 or later, npm 11 and libatomic1, in a clean checkout: it changes node_modules.
set -eu
mkdir -p "$1"
target=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
user=10001

# Of the system it has the libraries that Node is linked against: no shell, no package manager. What is known of the
# packages is kept where scanners of images look for it.
libraries() {
  mkdir -p "$target/var/lib/dpkg/status.d"
  debs=$(mktemp -d)
  chmod 755 "$debs"
  (cd "$debs" && apt-get -q download libc6 libgcc-s1 libstdc++6 libatomic1)
  for deb in "$debs"/*.deb; do
    dpkg-deb -x "$deb" "$target"
    dpkg-deb -f "$deb" >"$target/var/lib/dpkg/status.d/$(dpkg-deb -f "$deb" Package)"
  done
  rm -rf "$debs" "$target"/usr/lib/*/gconv "$target/usr/share/lintian"
  # Later releases of Debian have all libraries below /usr.
  for folder in lib lib64; do [ -e "$target/$folder" ] || ln -s "usr/$folder" "$target/$folder"; done
  mkdir -p "$target/etc" "$target/dev" "$target/proc" "$target/sys"
  echo "submissions:x:$user:$user::/data:/nonexistent" >"$target/etc/passwd"
  echo "submissions:x:$user:" >"$target/etc/group"
  # All but these folders belongs to root and may be read-only.
  install -d -m 1777 "$target/tmp"
  install -d -m 700 -o $user -g $user "$target/data"
}

# Node of the lockfile and the service's packages. Those for S3 and for traces are optional, because most installations do
# without; the image has them.
packages() {
  optional=$(node -p 'Object.entries(require("./server/package.json").peerDependencies).map((one) => one.join("@")).join(" ")')
  npm ci --ignore-scripts --omit=dev -w server --include-workspace-root
  # shellcheck disable=SC2086 -- several words
  npm install --ignore-scripts --no-save --omit=dev -w server --include-workspace-root $optional
  install -D "$(readlink -f node_modules/.bin/node)" "$target/usr/local/bin/node"
  rm -rf node_modules/node-linux-* node_modules/.bin
  node deploy/image/trim.js node_modules
  for folder in . shared server; do
    mkdir -p "$target/app/$folder"
    cp "$folder/package.json" "$target/app/$folder"
    [ ! -e "$folder/node_modules" ] || mv "$folder/node_modules" "$target/app/$folder"
  done
  # What builds the next step.
  npm ci --ignore-scripts -w client -w server --include-workspace-root
}

# The service, and what it hands to browsers and to projects: forms, console, the client's package.
sources() {
  npm run --silent build:package -w client
  npm run --silent build:console -w client
  cp -R --parents shared/src server/src client/dist/forms client/dist/console deploy/fill-compile-cache.js "$target/app"
  find "$target/app/shared/src" "$target/app/server/src" -name '*.test.ts' -delete
}

# Compiled code, which the Dockerfile makes in a stage of its own. Node keeps it apart by user, so the one that will run the
# service makes it, who cannot write to it afterwards.
compiled() {
  unshare --mount --pid --fork sh -euc '
    mount --rbind /dev "$0/dev"
    mount -t proc proc "$0/proc"
    env -i PATH="$PATH" NODE_COMPILE_CACHE=/tmp/compiled chroot --userspec='$user:$user' "$0" /usr/local/bin/node /app/deploy/fill-compile-cache.js
  ' "$target"
  mkdir -p "$target/var/cache"
  mv "$target/tmp/compiled" "$target/var/cache/submissions"
  chown -R root:root "$target/var/cache/submissions"
  chmod -R a+rX "$target/var/cache/submissions"
}

[ $# -gt 0 ] || set -- libraries packages sources compiled
for step in "$@"; do "$step"; done

#!/usr/bin/env bash
# Installs what nightly tests run against, as root on Debian: OpenStack Swift with its S3 door, HAProxy, nginx, Caddy, PHP,
# systemd, Prometheus' promtool, and what builds and runs images. Everywhere else, and when the packages cannot be had, it
# says so and succeeds; the tests that need them are then skipped.
set -uo pipefail

packages=(swift-proxy swift-account swift-container swift-object memcached haproxy nginx-light caddy php-cli php-curl
  systemd prometheus mmdebstrap buildah podman runc)

skip() {
  echo "install-peers: $1; tests against real peers are skipped."
  exit 0
}

command -v apt-get >/dev/null || skip "this is not Debian"
missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "ok installed" || missing+=("$package")
done
((${#missing[@]} > 0)) || exit 0
[[ $(id -u) -eq 0 ]] || skip "only root can install ${missing[*]}"

# A package starts its service when it is installed, unless this file says no.
policy=/usr/sbin/policy-rc.d
if [[ ! -e $policy ]]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  trap 'rm -f "$policy"' EXIT
fi
export DEBIAN_FRONTEND=noninteractive
limited() { timeout --kill-after=10 300 "$@" </dev/null >/dev/null 2>&1; }
limited apt-get update
limited apt-get install -y --no-install-recommends "${missing[@]}" || skip "${missing[*]} cannot be installed"

#!/usr/bin/env bash
# `npm run test:nightly`: the long runs, about two hours on two cores. Installs what only they need, goes on after a
# failure, and ends with 1 if anything failed.
set -uo pipefail
cd "$(dirname "$0")/../.."

npm ci --prefix test/nightly --no-audit --no-fund || exit 1
bash test/nightly/install-peers.sh

failed=()
run() {
  echo "== $*"
  "$@" || failed+=("$*")
}
node=(node -C @submissions/source)
run npx vitest run --config test/nightly/vitest.config.ts
# Every project with all its cases, and the files for the proxies, which only now are installed for certain.
run env NIGHTLY=1 npx vitest run
run "${node[@]}" test/support/crash/long-run.ts 60
run "${node[@]}" test/support/crash/long-run.ts 60 --postgres
run "${node[@]}" test/support/fuzz/long-run.ts 100000
for group in test/nightly/mutation/*.json; do
  run test/nightly/node_modules/.bin/stryker run "$group"
done

((${#failed[@]} == 0)) || printf 'failed: %s\n' "${failed[@]}"
exit $((${#failed[@]} > 0))

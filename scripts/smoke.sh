#!/usr/bin/env bash
# Packs the package, installs it into an empty folder as a user would, and checks a correct and a broken program there.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$root"
npm run build --silent
tarball=$(npm pack --silent --ignore-scripts --pack-destination "$folder")
cd "$folder"
npm init --yes >/dev/null
npm install --no-audit --no-fund "./$tarball" >install.log 2>&1 || { cat install.log; exit 1; }
if grep 'install-scripts' install.log; then echo 'smoke: npm asks users to approve scripts of the package'; exit 1; fi
cat >good.ts <<'TS'
import { assert, atomic, program, spawn } from 'heddle';
export default program(function* () {
  const x = atomic(0);
  const worker = yield* spawn(function* () {
    yield* x.fetchAdd(1);
  });
  yield* x.fetchAdd(1);
  yield* worker.join();
  assert((yield* x.load()) === 2);
});
TS
sed 's/yield\* x.fetchAdd(1)/yield* x.store((yield* x.load()) + 1)/' good.ts >bad.ts
npx --no-install heddle check good.ts
status=0
npx --no-install heddle check bad.ts --trace bad.json || status=$?
[ "$status" = 1 ] || { echo "smoke: expected exit code 1 for the broken program, got $status"; exit 1; }
status=0
npx --no-install heddle replay bad.json >/dev/null || status=$?
[ "$status" = 1 ] || { echo "smoke: expected exit code 1 for the replay, got $status"; exit 1; }
cat >good.c <<'C'
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
TYPE x;
void *add(void *arg) { x++; return arg; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  add(0);
  pthread_join(thread, 0);
  assert(x == 2);
}
C
export HEDDLE_CACHE="$folder/cache"
npx --no-install heddle check good.c -DTYPE=atomic_int
status=0
npx --no-install heddle check good.c -DTYPE=int || status=$?
[ "$status" = 1 ] || { echo "smoke: expected exit code 1 for the race in C, got $status"; exit 1; }
echo 'smoke: the packed package works'

#!/bin/sh
# All tests, in the order in which a failure is cheapest to find. Ends with "N passed, M failed".
set -u
cd "$(dirname "$0")/.." || exit 2
jobs=$(nproc)
passed=0 failed=0
step() {
	name=$1
	shift
	printf '== %s\n' "$name"
	start=$(date +%s)
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf '== FAILED: %s (repeat with: %s)\n' "$name" "$*"
	fi
	printf '== %s took %s s\n' "$name" $(($(date +%s) - start))
}
step "build, gcc, no warnings" make -s -j"$jobs" vinci tests
step "style" test/style.sh
step "unit tests" build/rel/tests --quiet
step "build, clang, sanitizers" make -s -j"$jobs" MODE=asan CC=clang-19 build/asan/vinci tests
# without those whose time goes to the kernel compiler, or that hold whole kernels against figures
step "unit tests under sanitizers" build/asan/tests --quiet --filter '!(bounds|why_ladder|cc_errors|asc_names)/*'
step "accuracy is not worse than published" sh -c "make -s build/rel/accuracy && build/rel/accuracy --check"
step "kernels, odd sizes, errors" test/kernels.sh
step "checks" test/check.sh
step "operators at odd sizes" test/ops.sh
step "tuning: killed and resumed" test/tune.sh
step "tuning under MPI" test/mpi.sh
step "training: network, checkpoint" test/train.sh
step "same cycles and bytes: gcc, clang, -O0, -O2" test/same.sh
step "the window: scripts, Xvfb" test/view.sh
step "README commands" test/readme.sh
# CI gives each target its full time, a person is not kept waiting
step "fuzzing" make -s -j"$jobs" fuzz FUZZ_SECONDS="${FUZZ_SECONDS:-$([ -n "${CI:-}" ] && echo 10 || echo 5)}"
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]

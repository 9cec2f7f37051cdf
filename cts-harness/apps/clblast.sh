#!/bin/sh
# clblast.sh ROUTINE...: CLBlast's own tests of some routines, a line of result for each routine in each precision.
for routine in "$@"; do
    clblast_test_"$routine" -platform 0 -device "${CL_DEVICE_INDEX:-0}" >"$routine.log" 2>&1
    code=$?
    # Colours are taken out.
    sed 's/\x1b\[[0-9;]*m//g' "$routine.log" | awk -v quote="'" -v code="$code" -v routine="$routine" '
        /Starting tests for the/ { split($0, part, quote); name = part[2]; begun++ }
        /All tests skipped/ { ended++; printf "SKIP %s\n", name }
        /test\(s\) passed/ { passed = $1 }
        /test\(s\) skipped/ { skipped = $1 }
        /test\(s\) failed/ {
            ended++
            status = $1 > 0 || passed == 0 ? "FAIL" : "PASS"
            printf "%s %s\n", status, name
            printf "  %d passed, %d skipped, %d failed\n", passed, skipped, $1
        }
        END { if (begun == 0 || ended < begun) printf "FAIL %s\n  it ended early, exit status %d\n", routine, code }
    '
done

#!/bin/sh
# john.sh JOHN FORMAT...: the self-test of some of John the Ripper's formats, a line for each.
john=$1
shift
for format in "$@"; do
    # The binary names of kernels that it keeps are the device's, not the driver's: nothing is taken from an earlier run.
    find "$(dirname "$john")/opencl" -name '*.bin' -delete 2>/dev/null
    timeout --foreground -k 10 300 "$john" --test=0 --format="$format-opencl" >john.log 2>&1
    code=$?
    if [ $code = 0 ] && grep -q 'PASS$' john.log; then
        echo "PASS $format"
    else
        echo "FAIL $format"
        echo "exit status $code"
        tail -n 3 john.log
    fi
done

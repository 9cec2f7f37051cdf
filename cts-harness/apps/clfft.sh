#!/bin/sh
# clFFT's client on transforms of every radix, layout and direction; it checks what it computes.
check() {
    timeout --foreground -k 10 300 clFFT-client --device "${CL_DEVICE_INDEX:-0}" "$@" >client.log 2>&1
    code=$?
    if [ $code = 0 ] && grep -q 'PASS' client.log; then
        echo "PASS $*"
    else
        echo "FAIL $*"
        echo "exit status $code"
        tail -n 5 client.log
    fi
}
check -x 1024
check -x 243
check -x 625
check -x 343
check -x 169
check -x 8192 -b 4
check -x 65536
check -x 64 -y 16
check -x 48 -y 60 -b 3
check -x 16 -y 8 -z 32
check -x 256 --inv
check -x 256 -o --inLayout 2 --outLayout 2
check -x 256 -o --inLayout 1 --outLayout 2
check -x 128 -y 16 -o --inLayout 5 --outLayout 3
check -x 128 -y 16 -o --inLayout 3 --outLayout 5 --inv
check -x 1024 --double
check -x 60 -y 15 --double --inv

#!/bin/sh
# PolyBench/ACC's programs, with their smallest data sets: each says how many results differ from those of the same in C.
# Those that compare nothing are not run. $1: the checkout.
utilities=$1/OpenCL/utilities
for makefile in $(find "$1/OpenCL" -name Makefile | sort); do
    folder=$(dirname "$makefile")
    name=$(basename "$folder")
    grep -q 'Non-Matching' "$folder/$name.c" "$folder"/*.c 2>/dev/null || continue
    mkdir -p "$name" && cp "$folder"/*.c "$folder"/*.h "$folder"/*.cl "$name"
    (
        cd "$name" || exit 1
        # Some name the device type themselves.
        sed -i 's/CL_DEVICE_TYPE_GPU/CL_DEVICE_TYPE_ALL/' ./*.c
        gcc -O2 -w -DMINI_DATASET -DCL_TARGET_OPENCL_VERSION=120 -DOPENCL_DEVICE_SELECTION=CL_DEVICE_TYPE_ALL \
            -I. "-I$utilities" ./*.c -o program -lOpenCL -lm &&
            timeout --foreground -k 10 100 ./program
    ) >"$name.log" 2>&1
    if grep -q 'Non-Matching.*: 0$' "$name.log" && ! grep -qi '^error' "$name.log"; then
        echo "PASS $name"
    else
        echo "FAIL $name"
        tail -n 5 "$name.log"
    fi
done

#!/bin/sh
# hashcat.sh MODE...: hashcat finds the password of its own example of each kind of hash. It tests its kernels itself
# before that. Nothing is taken from the kernels that it keeps.
export XDG_CACHE_HOME="$PWD/cache" XDG_DATA_HOME="$PWD/data"
rm -rf cache data
for mode in "$@"; do
    hashcat --hash-info -m "$mode" >info.log 2>&1
    value() { sed -n "s/^ *$1\.*: //p" info.log | head -n 1; }
    name=$(value Name)
    value 'Example\.Pass' >words
    value 'Example\.Hash' >hash
    # Also CPUs; --force: also those of which hashcat knows problems with another driver.
    timeout --foreground -k 10 300 hashcat --force --opencl-device-types 1,2,3 --potfile-disable --attack-mode 0 --hash-type "$mode" \
        --outfile-format 2 --outfile found --session "caldera-$mode" hash words >"$mode.log" 2>&1
    if cmp -s found words && ! grep -qi 'self-test failed' "$mode.log"; then
        echo "PASS $mode $name"
    else
        echo "FAIL $mode $name"
        grep -iE 'error|fail|warning|not' "$mode.log" | head -n 5
    fi
    rm -f found
done

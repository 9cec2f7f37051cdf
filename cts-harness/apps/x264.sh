#!/bin/sh
# x264 with its lookahead on the device and on the CPU. The two search differently, so that the files differ; a wrong search
# makes the file larger. A device that is passed over, or a kernel that does not build, makes x264 go on without.
x264 --threads 1 -o cpu.264 in.y4m >cpu.log 2>&1 || { cat cpu.log; exit 1; }
rm -f x264_lookahead.clbin x264_kernel_build_log.txt
x264 --threads 1 --opencl -o device.264 in.y4m >device.log 2>&1
code=$?
cpu=$(wc -c <cpu.264)
device=$(wc -c <device.264)
if [ $code = 0 ] && grep -q "acceleration enabled" device.log && ! grep -q warning device.log; then
    echo "PASS runs"
else
    echo "FAIL runs"
    echo "exit status $code"
    cat device.log x264_kernel_build_log.txt
fi
if [ "$((device * 100))" -le "$((cpu * 105))" ]; then
    echo "PASS size"
else
    echo "FAIL size"
fi
echo "$device bytes, with the CPU's lookahead $cpu"

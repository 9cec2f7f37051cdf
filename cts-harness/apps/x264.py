"""Writes a short video: a pattern that moves over another one."""

import sys

W, H, FRAMES = 320, 240, 20
with open(sys.argv[1], "wb") as out:
    out.write(f"YUV4MPEG2 W{W} H{H} F25:1 Ip A1:1 C420jpeg\n".encode())
    for t in range(FRAMES):
        out.write(b"FRAME\n")
        out.write(bytes((x * 5 ^ y * 3 if (x - 4 * t) % 160 < 80 and 60 < y < 180 else x * y // 64 + t) & 255
                        for y in range(H) for x in range(W)))
        out.write(bytes((x + 2 * t) & 255 for y in range(H // 2) for x in range(W // 2)))
        out.write(bytes((y * 2) & 255 for y in range(H // 2) for x in range(W // 2)))

// OpenCL C 6.5.2 wants them at the kernel's scope. Other implementations take them in blocks, as some programs have them.
kernel void k(int n) {
    if (n) { local int a; a = 1; }
    for (int i = 0; i < n; i++) { local int b[2]; b[0] = i; }
}

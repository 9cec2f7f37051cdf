// OpenCL C 6.5.2: at the kernel's scope.
kernel void k(int n) {
    if (n) { local int a; a = 1; }
    for (int i = 0; i < n; i++) { local int b[2]; b[0] = i; }
}

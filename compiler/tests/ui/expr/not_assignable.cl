kernel void k(__global int *out, int a) {
    int arr[3];
    5 = a;
    arr = out;
    a++ = 1;
    get_global_id(0) = 1;
}

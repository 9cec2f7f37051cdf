void f(__global int **a, __local int **b) {
    a = b;
}

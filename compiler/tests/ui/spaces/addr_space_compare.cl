int f(__global int *g, __local int *l) {
    int a = g == l;
    return (a ? g : l) != 0;
}

void f(int n) {
    int a[n];
    int b[-1];
    int c[2.0f];
    int d[2] = {1, 2, 3};
    int e[3] = 1;
    int g[] = {1, 2, 3};
    int h[sizeof(g) == 12 ? 1 : -1];
    const int k = 3;
    int l[k];
    void m[2];
}

int f(int a, int b) {
    for (int i = 0; i < a; i++) {
        if (i == 3) continue;
        if (i == 5) break;
    }
    while (a--) b++;
    do { b--; } while (b > a);
    for (;;) { if (a) goto out; else break; }
    switch (a) {
    case 1:
    case -1: b = 1; break;
    case 'x': { b = 2; } // falls through
    default: b = 3;
    }
    switch ((uchar)a) case 200: b = 4;
out:
    return a;
}
int duff(int n, int c) {
    switch (n % 4) {
    case 0: do { c++;
    case 3: c++;
    case 2: c++;
    case 1: c++;
            } while (--n > 0);
    }
    return c;
}

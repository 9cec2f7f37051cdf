// Jumps out of statement expressions: these become statements, all others stay expressions.
int stays(int n) { return ({ int i = 0; while (1) { if (i++ > n) break; } i; }) + 1; }
int leaves(int n, int m) {
    int x = n + ({ if (n > 3) goto out; n * 2; }) * m;
    x += n && ({ if (m) return 7; m; });
    for (int i = 0; ({ if (i > 9) break; i < n; }); ({ if (x) goto out; i++; })) { if (i == 3) continue; x++; }
    (void)(n ? ({ goto out; 1; }) : 2);
out:
    return x;
}

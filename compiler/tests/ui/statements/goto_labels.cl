void f(int a) {
    if (a) goto missing;
again:
    a--;
again:
    if (a) goto again;
}

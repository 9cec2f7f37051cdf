kernel void k(__global int *out) {
    __constant char *s = "abc";
    char *p = "abc";
    __constant char t[] = "abc";
    char u[2] = "abcdef";
    out[0] = s[1] + t[2] + u[0];
}

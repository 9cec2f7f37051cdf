// A flexible array member has no room in the object, so no form of initializer can fill it.
struct numbers {
    int n;
    int a[];
};
struct letters {
    int n;
    char s[];
};
constant struct numbers in_constant = {1, {2}};
constant struct numbers without = {1};
kernel void k(global int *out) {
    struct numbers in_list = {1, {2, 3}};
    struct numbers in_value = {1, 2};
    struct numbers in_designator = {.n = 1, .a[0] = 2};
    struct letters in_string = {1, "ab"};
    struct numbers of_others = {.n = 1};
    out[0] = of_others.n + without.n;
}

// __constant variables: arrays, structs, pointers to other variables, strings.
__constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
__constant float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};
typedef struct { int a; float b; __constant int* p; } E;
__constant E entries[3] = {{1, 2.5f, primes}, {2, 3.5f, primes + 3}, {3, 4.5f, &primes[5]}};
__constant char name[] = "caldera";
__kernel void constant_tables(__global float* out, __constant float* extra) {
  int gid = get_global_id(0);
  __constant E* e = &entries[gid % 3];
  out[gid] = primes[gid & 7] + weights[gid & 1][gid % 3] + e->a * e->b + e->p[gid & 1] + extra[gid] + name[gid % 7];
}

// volatile variables, arrays and members in every address space.
__kernel void vol(__global volatile int* a, __global int* o, __local volatile int* l) {
  volatile int x = a[0];
  x += 2;
  x++;
  l[get_local_id(0)] = x;
  barrier(CLK_LOCAL_MEM_FENCE);
  volatile int arr[4];
  for (int i = 0; i < 4; i++) arr[i] = i*x;
  struct {
    volatile int v;
    int w;
  } s = {1,2};
  s.v += arr[get_local_id(0)&3];
  o[get_global_id(0)] = x + l[0] + s.v + s.w;
}
__kernel void b(__global int* o) {
}

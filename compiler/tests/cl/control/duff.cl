// Duff's device: case labels inside a loop that is inside the switch.
__kernel void duff(__global const int* from, __global int* to, int count) {
  int gid = get_global_id(0);
  __global const int* f = from;
  int acc = 0;
  int c = count + gid % 8;
  if (c > 0) {
    int n = (c + 7) / 8;
    switch (c % 8) {
      case 0:
        do {
          acc = acc * 3 + *f++;
        case 7:
          acc = acc * 3 + *f++;
        case 6:
          acc = acc * 3 + *f++;
        case 5:
          acc = acc * 3 + *f++;
        case 4:
          acc = acc * 3 + *f++;
        case 3:
          acc = acc * 3 + *f++;
        case 2:
          acc = acc * 3 + *f++;
        case 1:
          acc = acc * 3 + *f++;
        } while (--n > 0);
    }
  }
  to[gid] = acc;
}

// switch: fall-through, default in the middle, ranges, nested, in loops, on long.
int fall(int x) {
  int r = 0;
  switch (x) {
    case 1:
      r += 1;
    case 2:
      r += 10;
      break;
    default:
      r += 100;
    case 5:
      r += 1000;
    case 6:
      if (x == 5) break;
      r += 5;
      break;
    case 7:
      return 77;
    case 8: {
      r = 8;
      break;
    }
    case -3:
      r = -3;
  }
  return r;
}
int ranges(int x) {
  switch (x) {
    case 0 ... 3:
      return 1;
    case 10 ... 10000:
      return 2;
    case -100 ... -1:
      return 3;
  }
  return 0;
}
int wide(long x) {
  switch (x) {
    case 0x100000001L:
      return 1;
    case 2:
      return 2;
    case -1L:
      return 3;
  }
  return 4;
}
int looped(int x) {
  int r = 0;
  for (int i = 0; i < 10; i++) {
    switch ((x + i) & 7) {
      case 0:
        continue;
      case 1:
        r += 1;
        break;
      case 2:
        switch (i) {
          case 3:
            r += 1000;
            break;
          case 4:
            return r;
        }
      case 3:
        r += 2;
        if (r > 20) goto out;
        continue;
      default:
        r += 3;
    }
    r *= 2;
  }
out:
  return r;
}
__kernel void switches(__global int* out) {
  int gid = get_global_id(0);
  int x = gid - 8;
  out[gid * 4] = fall(x);
  out[gid * 4 + 1] = ranges(x * 7);
  out[gid * 4 + 2] = wide(gid == 3 ? 0x100000001L : (long)x);
  out[gid * 4 + 3] = looped(x);
}

// goto out of inner loops, and a switch whose default label is inside the switch's last statement's reach.
__kernel void loops2(__global int* o) {
  int g = get_global_id(0);
  int r = 0;
  for (int i = 0; i < 4; i++) {
    int j;
    for (j = 0; j < 5; j++) {
      if ((i ^ j ^ g) == 3) goto next;
      if (j == 4 && i == 2) goto out;
      r += j;
    }
    r += 100;
    next: r += 1000;
  }
  out: switch (g & 3) {
    int k;
    case 0: k = 5;
    while (k--) {
      if (k == g) break;
      switch (k) {
        case 1: continue;
        default: r += k;
      }
    }
    case 2: r ^= 77;
    default: do {
      r++;
      if (r & 1) continue;
    }
    while (r % 7);
  }
  o[g] = r;
}

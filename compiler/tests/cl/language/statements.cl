// C99 6.8: every statement.
kernel void statements(global int *p, int n) {
  int i = 0, s = 0;
  ;
  {
  }
  {
    ;
  }
  {
    int i = 5;
    s += i;
  }
  if (n) s++;
  else s--;
  if (n > 1) if (n > 2) s = 1;
  else s = 2;
  if (n) {
  } else if (n == 1) { s += 2;} else {
    s += 3;
  }
  while (i < n) i++;
  while (1) {
    if (i-- < 0) break;
    else continue;
  }
  do i += 2;
  while (i < n);
  do {
    if (i > 3) continue;
    s++;
  }
  while (i++ < 9);
  for (;;) {
    break;
  }
  for (i = 0; i < n; i++) s += i;
  for (int j = 0, k = n; j < k; j++, k--) {
    if (j == 3) continue;
    s += j * k;
  }
  for (uint u = 0; u < 3u; ++u) for (int v = 3; v; v--) {
    if (v == 2) break;
    s ^= v;
  }
  switch (n) {
    case 1: s = 1;
    break;
    case 2: case 3: s = 2;
    default: s = 3;
    break;
    case -4: s++;
  }
  switch (n & 7) {
    default: break;
  }
  switch (n) case 5: s++;
  switch (n) {
    case 'a' ... 'z': s = 9;
    break;
    case 1 + 1: {
      int q = s;
      s = q * 2;
    }
  }
  switch ((long) n) {
    case 0x100000000L: s = 1;
    break;
    case -1: s = 2;
  }
  switch ((uchar) n) {
    case 255: s = 4;
  }
  switch (n) {
    int hidden;
    case 0: hidden = 3;
    s += hidden;
    for (; s < 9; s++) {
      case 1: s += 2;
    }
  }
  for (int a = 0; a < 4; a++) for (int b = 0; b < 4; b++) {
    if (a * b == 6) goto found;
    s++;
  }
  s = -1;
  found: s++;
  again: if (s < 100) {
    s *= 2;
    goto again;
  }
  goto tail;
  middle: s += 7;
  goto finish;
  tail: s -= 1;
  goto middle;
  finish:;
  int *q = &s;
  *q += ({ int t = n; t * 2;});
  n ? (void)0 : (void)(s = 1);
  (void)s;
  s, n;
  s;
  if (n == 77) return;
  p[0] = s + i;
}

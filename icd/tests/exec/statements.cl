// Statements (C99 6.8).
#define PUT(x) out[n_++] = (ulong)(x)

int f(long x) {
  switch (x) {
    case 0x100000000L:return 1;
    case -1:return 2;
    case 0:return 3;
    case 1 ... 5:return 9;
    case 'A':return 4;
    default:return 5;
  }
}
int g(uchar c) {
  switch (c) {
    case 200:return 1;
    case 255:return 2;
  }
  return 3;
}
int h(ulong u) {
  switch (u) {
    case ~0UL:return 1;
    case 0x80000000:return 2;
    default:return 3;
  }
}
// Labels of type long, ranges, jumps over declarations.
// kernel: switches
// global: 1
// arg: out ulong 18 => [1, 2, 3, 9, 4, 5, 1, 2, 3, 1, 2, 3, 0xb, 4, 0x4d, 0, 2, 5]
// arg: in int 64 = i
kernel void switches(global ulong *out, global int *in) {
  int n_ = 0;
  PUT(f(0x100000000L*in[1]));
  PUT(f(-in[1]));
  PUT(f(in[0]));
  PUT(f(in[3]));
  PUT(f(65));
  PUT(f(0x200000000L));
  PUT(g(in[1]+199));
  PUT(g(-1));
  PUT(g(7));
  PUT(h(-1));
  PUT(h(0x80000000));
  PUT(h((int)0x80000000));
  int k = 0;
  switch (in[2]) {
    default:k += 1;
    case 7:k += 10;
    break;
    case 3:k += 100;
  }
  PUT(k);
  switch (in[3]) {
    int q;
    case 3:q = 4;
    PUT(q);
  }
  switch (in[1]) {
    case 0:;
  }
  switch (in[1]) case 1:PUT(77);
  for (int i = 0; i < 5; i++) {
    switch (i) {
      case 1:continue;
      case 3:break;
      default:PUT(i);
    }
    if (i == 3) break;
  }
  switch ((short) in[1]) {
    case 1: {
      switch (in[2]) {
        case 2:PUT(5);
        break;
        default:PUT(6);
      }
      break;
    }
    case 2:PUT(7);
  }
}

// kernel: duffs_device
// global: 1
// arg: out ulong 5 => [0x4e, 0xd, 0x193, 3, 0xf]
// arg: in int 64 = i
kernel void duffs_device(global ulong *out, global int *in) {
  int n_ = 0;
  int n = in[13], i = 0, c = 0;
  switch (n % 4) {
    case 0:do {
      c += in[i++];
      case 3:c += in[i++];
      case 2:c += in[i++];
      case 1:c += in[i++];
    }
    while (i < n);
  }
  PUT(c);
  PUT(i);
  i = 0;
  c = 0;
  switch (in[1]) {
    for (; i < 5; i++) {
      case 1:c += 100;
      if (i == 3) break;
      c++;
      case 2:;
    }
  }
  PUT(c);
  PUT(i);
  c = 0;
  switch (in[2]) {
    case 0:if (in[1]) {
      case 2:c = 5;
    } else {
      case 3:c = 6;
    }
    c += 10;
  }
  PUT(c);
}

// kernel: gotos
// global: 1
// arg: out ulong 7 => [0x1e, 0xe, 0x16, 0xbd6, 0xe, 5, 0xe]
// arg: in int 64 = i
kernel void gotos(global ulong *out, global int *in) {
  int n_ = 0;
  int i = 0, s = 0;
  again: if (i < 10) {
    i++;
    if (i % 2) goto again;
    s += i;
    goto again;
  }
  PUT(s);
  int k = 0;
  for (int a = 0; a < 5; a++) for (int b = 0; b < 5; b++) {
    k++;
    if (a*b == 6) goto done;
  }
  done:PUT(k);
  if (in[1]) goto in_;
  while (i < 20) {
    s += 1000;
    in_:i += 3;
  }
  PUT(i);
  PUT(s);
  int x = in[3];
  if (x) goto L2;
  L1:x++;
  if (x > 10) goto end;
  L2:x += 2;
  if (x&1) goto L1;
  goto L2_;
  L2_:x += 5;
  if (x < 30) goto L1;
  end:PUT(x);
  {
    goto f;
    int q;
    f: q = 5;
    PUT(q);
  }
  {
    int *p;
    goto u;
    u: p = &x;
    PUT(*p);
  }
}

// kernel: loops
// global: 1
// arg: out ulong 16 => [0x241, 2, 9, 0x1f, 0x20, 8, 9, 2, 0x26, 0, 0xfffffffffffffffe, 3, 1, 2, 0xa, 0x10]
// arg: in int 64 = i
kernel void loops(global ulong *out, global int *in) {
  int n_ = 0;
  int s = 0;
  for (int i = 0;; i++) {
    if (i == in[20]) break;
    if (i&1) continue;
    for (int j = i; j; j--) {
      if (j == 3) break;
      s += j;
    }
    s++;
  }
  PUT(s);
  int i = 5;
  while (i-- > 0) if (i == in[2]) goto out;
  out:PUT(i);
  do {
    s--;
    if (s < 10) break;
    continue;
  }
  while (s > in[5]);
  PUT(s);
  for (; in[1];) {
    s += 2;
    if (s > 30) break;
  }
  PUT(s);
  do s++;
  while (0);
  PUT(s);
  {
    int i = 9;
    {
      int i = 8;
      PUT(i);
    }
    PUT(i);
  }
  PUT(i);
  for (int i = 0, n = in[3]; i < n; ++i) for (int i = 0; i < 2; i++) s++;
  PUT(s);
  if (in[0]);
  else s = 0;
  PUT(s);
  while (1) {
    while (1) {
      break;
    }
    break;
  }
  int x = 0;
  for (x = 10; x > 0; x -= 3);
  PUT((long)x);
  uint k = 3;
  for (; k-- > 0;) s += k;
  PUT(s);
  PUT((long)(k == 0xffffffff));
  int a = 1;
  if (a) {
    if (in[0]) s = 1;
    else s = 2;
  }
  PUT(s);
  for (char c = 120; c > 0; c++) s++;
  PUT(s);
  for (uchar u = 250; u; u++) s++;
  PUT(s);
}

uint h_large_switch(uint x) {
  switch (x % 20) {
    case 0:return x*3;
    case 1:x += 5;
    case 2:x ^= 7;
    break;
    case 3:case 4:case 5: {
      uint y = x;
      while (y > 3) y /= 2;
      return y;
    }
    case 6:goto l;
    case 7:for (;;) {
      x += 3;
      if (x > 100) break;
    }
    return x;
    default:if (x > 50) {
      x -= 50;
      switch (x&3) {
        case 0:return 1;
        case 1:break;
        default:x += 100;
      }
    } else x++;
    break;
    case 19:l:x *= 2;
    if (x < 30) goto l;
  }
  return x;
}
// A switch with everything.
// kernel: large_switch
// global: 1
// arg: out ulong 45 => [0, 1, 5, 3, 2, 2, 0x30, 0x67, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 0x11, 0x12, 0x13, 0x26, 0x3c, 0x1d, 0x11, 2, 3, 3, 0x34, 0x66, 0x1d, 0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x4e, 0x78, 0x29, 0x2d, 2, 2]
// arg: in int 64 = i
kernel void large_switch(global ulong *out, global int *in) {
  int n_ = 0;
  for (int i = 0; i < 45; i++) PUT(h_large_switch(in[i]));
}

int deep(int n) {
  int r = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (j == i) continue;
      for (int k = 0; k < n; k++) {
        if (k == j) break;
        r += k;
        if (r > 40) goto done;
        switch (k) {
          case 1:goto next;
          case 2:r += 2;
          break;
        }
      }
      next:r++;
      if (r % 7 == 0) break;
    }
    if (r > 30 && i&1) return r*100+i;
  }
  return r;
  done:return-r;
}
// Loops left from inside of a switch.
// kernel: nested_loops
// global: 1
// arg: out ulong 10 => [0, 0, 2, 7, 0x12, 0x1b, 0xffffffffffffffd7, 0xffffffffffffffd7, 0xffffffffffffffd7, 0xffffffffffffffd7]
// arg: in int 64 = i
kernel void nested_loops(global ulong *out, global int *in) {
  int n_ = 0;
  for (int i = 0; i < 10; i++) PUT((long) deep(in[i]));
}

int g_loops_and_switches(int n) {
  int r = 0;
  do {
    switch (n&3) {
      case 0:r += 1;
      continue;
      case 1:r += 10;
      case 2:r += 100;
      break;
      default:if (r > 500)return r;
    }
    r += 1000;
  }
  while (n-- > 0);
  return r;
}
int h_loops_and_switches(int n) {
  for (;;) {
    switch (n) {
      case 5:return 50;
      case 9:n = 4;
      default:n++;
      continue;
      case 0:break;
    }
    break;
  }
  return -1;
}
int k(int n) {
  int i;
  for (i = 0; i < n; i++) {
    for (int j = 0;; j++) {
      if (j > i) goto c;
      if (i*j > 20) goto d;
    }
    c:;
  }
  d:return i;
}
int l(int n) {
  while (n) {
    if (n&1) {
      n >>= 1;
      if (n&1) continue;
      else {
        n--;
        if (n < 0) break;
      }
    } else n >>= 1;
    if (n == 2) return 99;
  }
  return n;
}
// Loops around switches around loops.
// kernel: loops_and_switches
// global: 1
// arg: out ulong 40 => [1, 0xffffffffffffffff, 0, 0, 0x457, 0x32, 1, 0xffffffffffffffff, 0x8a3, 0x32, 2, 0xffffffffffffffff, 0xc8b, 0x32, 3, 0xffffffffffffffff, 0xc8c, 0x32, 4, 0x63, 0x457, 0x32, 5, 0xffffffffffffffff, 0x8a3, 0x32, 5, 0xffffffffffffffff, 0xc8b, 0x32, 5, 0xffffffffffffffff, 0xc8c, 0x32, 5, 0x63, 0x457, 0x32, 5, 0xffffffffffffffff]
// arg: in int 64 = i
kernel void loops_and_switches(global ulong *out, global int *in) {
  int n_ = 0;
  for (int i = 0; i < 10; i++) {
    PUT(g_loops_and_switches(in[i]));
    PUT((long)h_loops_and_switches(in[i]));
    PUT(k(in[i]));
    PUT((long)l(in[i]));
  }
}

// Values that go round in loops.
// kernel: loop_carried
// global: 1
// arg: out ulong 11 => [1, 2, 0, 0x452f, 2, 1, 0x32, 1, 0x2e, 0x13077775800, 0x40900000]
// arg: in int 64 = i
kernel void loop_carried(global ulong *out, global int *in) {
  int n_ = 0;
  int a = 0, b = 1, c = 2;
  for (int i = 0; i < in[7]; i++) {
    int t = a;
    a = b;
    b = c;
    c = t;
  }
  PUT(a);
  PUT(b);
  PUT(c);
  uint x = 1, y = 1;
  for (int i = 0; i < in[20]; i++) {
    uint t = x+y;
    x = y;
    y = t;
  }
  PUT(y);
  int4 v = (int4)(1, 2, 3, 4);
  for (int i = 0; i < in[5]; i++) v = v.yzwx;
  PUT(v.x);
  int*p = &a, *q = &b;
  for (int i = 0; i < in[3]; i++) {
    int*t = p;
    p = q;
    q = t;
  }
  *p = 50;
  PUT(a);
  PUT(b);
  int k = in[10];
  while (k > 1) k = k % 2 ? 3*k+1:k / 2;
  PUT(k);
  int s = 0;
  for (int i = 0, j = in[9]; i < j; i++, j--) {
    s += i*j;
    if (s > 20) i++;
  }
  PUT(s);
  long f = 1;
  for (int i = 2; i <= in[15]; i++) f *= i;
  PUT(f);
  float z = 0;
  for (float w = 0.1f; w < 1; w += 0.1f) z += w;
  PUT(as_uint(z));
}

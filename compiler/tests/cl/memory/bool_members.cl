// bool in structs and arrays is one byte, 0 or 1; pointers to it.
typedef struct {
  bool f;
  int x;
  bool g[3];
} B;
__kernel void boolm(__global uchar* raw, __global int* o) {
  B b;
  b.f = o[0] < 5;
  b.x = 3;
  for (int i = 0; i < 3; i++) b.g[i] = i & 1;
  bool t = b.f;
  t ^= b.g[1];
  bool* p = &b.g[2];
  *p = !*p;
  uchar* r = (uchar*)&b;
  for (int i = 0; i < 1; i++) raw[i] = r[i];
  raw[1] = r[8];
  raw[2] = r[9];
  raw[3] = r[10];
  o[1] = t + b.f * 2 + (b.g[2] ? 4 : 0);
  float f = 0.0f / 0.0f * o[0];
  o[2] = (bool)f;
  o[3] = !f;
  double dd = o[5];
  o[5] = dd-- > 3 ? (int)dd : (int)++dd;
  size_t s = sizeof(B);
  o[6] = s;
  ulong big = 0xffffffffffffffffUL;
  o[7] = (int)(big >> 60) + (int)((long)big >> 60) + (big > 5) + ((int)big < 5u);
}

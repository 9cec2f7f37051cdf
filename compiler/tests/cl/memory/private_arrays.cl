// Private arrays with run-time indices, pointers into them, pointers to pointers, type punning.
void bump(int* p, int by) { *p += by; }
__kernel void private_arrays(__global int* out, int n) {
  int gid = get_global_id(0);
  int a[8] = {1, 2, 3};
  int m[3][4];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++) m[i][j] = i * 10 + j + gid;
  for (int i = 0; i < n; i++) bump(&a[(gid + i) & 7], i);
  int* p = a + (gid & 7);
  int** pp = &p;
  **pp += 100;
  if (gid & 1) *pp = &m[gid % 3][0];
  p[1 - (gid & 1)] += 5;
  char* c = (char*)a;
  c[gid & 3] ^= 0x55;
  short s[4] = {1, -2, 3, -4};
  *(ushort*)(s + 2) = gid * 655;
  int sum = 0;
  for (int i = 0; i < 8; i++) sum = sum * 3 + a[i];
  for (int i = 0; i < 12; i++) sum = sum * 5 + (&m[0][0])[i];
  for (int i = 0; i < 4; i++) sum = sum * 7 + s[i];
  out[gid] = sum + (int)(p - a) * (gid & 1 ? 0 : 1);
}

// A loop that is entered at two places, and one inside it that is too.
__kernel void irreducible(__global int* out, int n) {
  int gid = get_global_id(0);
  int x = gid, steps = 0;
  if (gid & 1) goto middle;
start:
  x += 3;
  if (++steps > n) goto done;
  if (x % 5 == 0) goto inner_b;
middle:
  x = x * 2 + 1;
  x &= 0xffff;
  if (++steps > n) goto done;
inner_a:
  x ^= steps;
  if (x & 4) goto start;
inner_b:
  x += 7;
  if (++steps > 2 * n) goto done;
  if (x & 8) goto inner_a;
  goto start;
done:
  out[gid] = x + steps * 65536;
}

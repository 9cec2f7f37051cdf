// Formats that are no literals, but "resolvable at compile time" (OpenCL C 3.0, 6.15.14.2). `printf.rs` has the output.
// kernel: prints
// global: 1
// arg: value int = 4
// arg: out int 1 => 0
constant char array[] = "array %d\n";
constant char *constant pointer = "pointer %d\n";
constant char *constant table[] = {"zero %d\n", "one %d\n", "two %d\n"};

int wrapped(constant char *format, int x) { return printf(format, x); }

kernel void prints(int n, global int *result) {
  constant char *format = "local %d\n";
  int sum = printf(array, 1);
  sum += printf(array + 6, 2);
  sum += printf(pointer, 3);
  sum += printf(format, 4);
  sum += printf(n > 3 ? "more %d\n" : "less %d\n", 5);
  sum += printf(n > 4 ? "more %d\n" : "less %d\n", 6);
  sum += wrapped("wrapped %d\n", 7) + wrapped("wrapped again %d\n", 8);
  for (int i = 0; i < 3; i++)
    sum += printf(table[(n + i) % 3], 9 + i);
  format = "first %d\n";
  for (int i = 0; i < n; i++) {
    sum += printf(format, i);
    format = i & 1 ? "after an odd number %d\n" : "after an even number %d\n";
  }
  // The formats print different types.
  sum += printf(n > 3 ? "%s %.2f\n" : "%d %.2f\n", "string", 1.5f);
  sum += printf(n == 4 ? "%v4d\n" : "%v4x\n", (int4)(1, 2, 3, n));
  sum += printf("%s %s\n", n > 3 ? "big" : "small", n > 4 ? "big" : "small");
  *result = sum;
}

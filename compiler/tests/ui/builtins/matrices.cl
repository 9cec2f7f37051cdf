// Cooperative matrices (provisional).
#define MATRIX(rows, columns, use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, rows, columns, use)))
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
typedef float MATRIX(16, 8, CLK_COOPERATIVE_MATRIX_A) a_t;
typedef float MATRIX(8, 16, CLK_COOPERATIVE_MATRIX_B) b_t;
typedef float MATRIX(16, 16, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) c_t;
typedef int MATRIX(16, 16, CLK_COOPERATIVE_MATRIX_ACCUMULATOR) i_t;
typedef float MATRIX(16, 16, 3) no_use;
typedef float MATRIX(0, 16, CLK_COOPERATIVE_MATRIX_A) no_rows;
typedef float __attribute__((coop_mat(1, 16, 16, CLK_COOPERATIVE_MATRIX_A))) of_a_device;
typedef float __attribute__((coop_mat(3, 16, 16))) without_use;
typedef float4 MATRIX(16, 16, CLK_COOPERATIVE_MATRIX_A) of_vectors;
typedef bool MATRIX(16, 16, CLK_COOPERATIVE_MATRIX_A) of_bools;
constant c_t in_constant_memory = 0;
struct with_matrix { c_t m; };
kernel void parameter(c_t m) {}
void pointer(c_t *m) {}
kernel void loads(global float *p, global int *i, global float4 *v, private float *q, uint n) {
  local c_t in_local_memory;
  a_t a = coop_mat_load(p, ROWS, 8);
  a = coop_mat_load(i, ROWS, 8);
  a = coop_mat_load(v, ROWS, 8);
  a = coop_mat_load(p, n, 8);
  a = coop_mat_load(p, 7, 8);
  a = coop_mat_load(p, ROWS, 8.0f);
  a = coop_mat_load(p, ROWS);
  float f = coop_mat_load(p, ROWS, 8);
  coop_mat_load(p, ROWS, 8);
  coop_mat_store(i, a, ROWS, 8);
  coop_mat_store(p, f, ROWS, 8);
}
kernel void arithmetic(global float *p) {
  a_t a = coop_mat_init(1), a2 = a;
  b_t b = coop_mat_init(2);
  c_t c = coop_mat_init(p);
  i_t i = coop_mat_init(3);
  a = b;
  a = a + b;
  a = a & a2;
  a = a / 2;
  a += 2;
  a++;
  a = &a;
  a = !a;
  c = coop_mat_mulAdd(b, a, c);
  c = coop_mat_mulAdd(a, b, a);
  i = coop_mat_mulAdd(a, b, i);
  c = coop_mat_mulAdd(a, b, c, CLK_COOPERATIVE_MATRIX_OPERAND_SATURATING_ACCUMULATION);
  c = coop_mat_mulAdd(a, b, c, 1);
  c = coop_mat_convert(a);
  c = coop_mat_convert(p);
  if (a) c = c ? c : c;
  (void)coop_mat_init(0);
  int n = sizeof(coop_mat_init(0)) + coop_mat_length(p);
  coop_mat_init(0) + c;
}

// C = A × B for matrices of n × n halves by rows, with sums in float: an example of cooperative matrices in OpenCL C, which are
// provisional. Each sub-group computes a block of TILES × TILES tiles of 16 × 16 numbers, and each work-group is one
// sub-group. The NDRange has (n / BLOCK) × (n / BLOCK) work-groups.
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define TILE 16
#define TILES 2
#define BLOCK (TILE * TILES)
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define MATRIX(use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, TILE, TILE, use)))

typedef half MATRIX(CLK_COOPERATIVE_MATRIX_A) left_t;
typedef half MATRIX(CLK_COOPERATIVE_MATRIX_B) right_t;
typedef float MATRIX(CLK_COOPERATIVE_MATRIX_ACCUMULATOR) sum_t;

kernel void gemm(global const half *a, global const half *b, global float *c, uint n) {
  // The first row and the first column of the block.
  const uint row = get_group_id(0) / (n / BLOCK) * BLOCK;
  const uint column = get_group_id(0) % (n / BLOCK) * BLOCK;
  sum_t sums[TILES][TILES];
  for (int i = 0; i < TILES; i++)
    for (int j = 0; j < TILES; j++)
      sums[i][j] = coop_mat_init(0.0f);
  for (uint k = 0; k < n; k += TILE) {
    left_t left[TILES];
    right_t right[TILES];
    for (int i = 0; i < TILES; i++) {
      left[i] = coop_mat_load(a + (row + i * TILE) * n + k, ROWS, n);
      right[i] = coop_mat_load(b + k * n + column + i * TILE, ROWS, n);
    }
    for (int i = 0; i < TILES; i++)
      for (int j = 0; j < TILES; j++)
        sums[i][j] = coop_mat_mulAdd(left[i], right[j], sums[i][j]);
  }
  for (int i = 0; i < TILES; i++)
    for (int j = 0; j < TILES; j++)
      coop_mat_store(c + (row + i * TILE) * n + column + j * TILE, sums[i][j], ROWS, n);
}

// Attention of one head: out = softmax(Q Kᵀ / √DEPTH) V, an example of cooperative matrices in OpenCL C, which are provisional.
// Q, K, V and out have DEPTH numbers in each row, and as many rows as there are queries or keys: multiples of TILE. The products
// of queries and keys never exist as a whole: each work-group, which is one sub-group, has TILE queries and takes TILE keys at a
// time, and corrects what it has so far when it finds a larger product.
#pragma OPENCL EXTENSION cl_khr_cooperative_matrix : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define TILE 16
#ifndef DEPTH
#define DEPTH 64
#endif
#define PARTS (DEPTH / TILE)
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define COLUMNS CLK_COOPERATIVE_MATRIX_LAYOUT_COLUMN_MAJOR
#define MATRIX(use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, TILE, TILE, use)))

typedef half MATRIX(CLK_COOPERATIVE_MATRIX_A) left_t;
typedef half MATRIX(CLK_COOPERATIVE_MATRIX_B) right_t;
typedef float MATRIX(CLK_COOPERATIVE_MATRIX_ACCUMULATOR) sum_t;

kernel void attention(global const half *queries, global const half *keys, global const half *values, global float *out,
                      uint key_count) {
  // The tile of products, its weights, and for each row: the largest product, the sum of the weights, and a factor.
  local float products[TILE * TILE] __attribute__((aligned(16)));
  local half weights[TILE * TILE] __attribute__((aligned(16)));
  local float factors[TILE] __attribute__((aligned(16)));
  local float largest[TILE], total[TILE];
  const uint first = get_group_id(0) * TILE, item = get_local_id(0), items = get_local_size(0);

  left_t query[PARTS];
  sum_t result[PARTS];
  for (int d = 0; d < PARTS; d++) {
    query[d] = coop_mat_load(queries + first * DEPTH + d * TILE, ROWS, DEPTH);
    result[d] = coop_mat_init(0.0f);
  }
  for (uint row = item; row < TILE; row += items) {
    largest[row] = -INFINITY;
    total[row] = 0;
  }

  for (uint key = 0; key < key_count; key += TILE) {
    // The columns of Kᵀ are the rows of K.
    sum_t product = coop_mat_init(0.0f);
    for (int d = 0; d < PARTS; d++) {
      right_t transposed = coop_mat_load(keys + key * DEPTH + d * TILE, COLUMNS, DEPTH);
      product = coop_mat_mulAdd(query[d], transposed, product);
    }
    coop_mat_store(products, product * rsqrt((float)DEPTH), ROWS, TILE);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint row = item; row < TILE; row += items) {
      float most = largest[row];
      for (int i = 0; i < TILE; i++)
        most = fmax(most, products[row * TILE + i]);
      float sum = 0;
      for (int i = 0; i < TILE; i++) {
        const float weight = exp(products[row * TILE + i] - most);
        weights[row * TILE + i] = (half)weight;
        sum += weight;
      }
      // What was computed with the largest product before is too large by this factor.
      factors[row] = exp(largest[row] - most);
      total[row] = total[row] * factors[row] + sum;
      largest[row] = most;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // With stride 0, all columns of this matrix are the factors of the rows.
    const sum_t factor = coop_mat_load(factors, COLUMNS, 0);
    const left_t weight = coop_mat_load(weights, ROWS, TILE);
    for (int d = 0; d < PARTS; d++) {
      right_t value = coop_mat_load(values + key * DEPTH + d * TILE, ROWS, DEPTH);
      result[d] = coop_mat_mulAdd(weight, value, result[d] * factor);
    }
  }

  for (uint row = item; row < TILE; row += items)
    factors[row] = 1 / total[row];
  barrier(CLK_LOCAL_MEM_FENCE);
  const sum_t factor = coop_mat_load(factors, COLUMNS, 0);
  for (int d = 0; d < PARTS; d++)
    coop_mat_store(out + first * DEPTH + d * TILE, result[d] * factor, ROWS, DEPTH);
}

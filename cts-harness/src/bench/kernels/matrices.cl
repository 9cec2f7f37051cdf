// c = a × b for n × n matrices by rows, of halves with sums in float, by cooperative matrices of 16 × 16; n is a multiple of BLOCK.
// A work-group has ITEMS work-items in eight sub-groups, and computes BLOCK × BLOCK numbers. It copies STEP columns of a and STEP
// rows of b to local memory at a time; the next ones are on their way to registers meanwhile.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define TILE 16
#define BLOCK 128
#define STEP 32
// Sub-groups side by side, and how many tiles each has in both directions.
#define ACROSS 4
#define TALL (BLOCK / TILE / 2)
#define WIDE (BLOCK / TILE / ACROSS)
// Memory is copied by eight halves. Rows in local memory have eight more, so that they begin in different banks.
#define EACH 8
#define A_ROW (STEP / EACH)
#define B_ROW (BLOCK / EACH)
#define COPIES (BLOCK * STEP / EACH / ITEMS)
#define ROWS CLK_COOPERATIVE_MATRIX_LAYOUT_ROW_MAJOR
#define MATRIX(use) __attribute__((coop_mat(CLK_COOPERATIVE_MATRIX_SCOPE_SUBGROUP, TILE, TILE, use)))
#define UNROLL __attribute__((opencl_unroll_hint))

typedef half MATRIX(CLK_COOPERATIVE_MATRIX_A) left_t;
typedef half MATRIX(CLK_COOPERATIVE_MATRIX_B) right_t;
typedef float MATRIX(CLK_COOPERATIVE_MATRIX_ACCUMULATOR) sum_t;

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1)))
void gemm_matrices(uint n, global const uint4 *a, global const uint4 *b, global float *c)
{
    local uint4 left[BLOCK * (A_ROW + 1)], right[STEP * (B_ROW + 1)];
    uint item = get_local_id(0), line = n / EACH;
    uint column = get_group_id(0) * BLOCK, row = get_group_id(1) * BLOCK;
    // The first row of the sub-group's part, and its first column in elements of local memory.
    uint y = get_sub_group_id() / ACROSS * TALL * TILE, x = get_sub_group_id() % ACROSS * WIDE * TILE / EACH;
    sum_t sums[TALL][WIDE];
    UNROLL for (int i = 0; i < TALL; i++)
        UNROLL for (int j = 0; j < WIDE; j++)
            sums[i][j] = coop_mat_init(0.0f);

    uint4 next_a[COPIES], next_b[COPIES];
    for (uint k = 0; k <= n; k += STEP) {
        if (k > 0) {
            barrier(CLK_LOCAL_MEM_FENCE);
            UNROLL for (int i = 0; i < COPIES; i++) {
                uint at = item + i * ITEMS;
                left[at / A_ROW * (A_ROW + 1) + at % A_ROW] = next_a[i];
                right[at / B_ROW * (B_ROW + 1) + at % B_ROW] = next_b[i];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k < n) {
            UNROLL for (int i = 0; i < COPIES; i++) {
                uint at = item + i * ITEMS;
                next_a[i] = a[(row + at / A_ROW) * line + k / EACH + at % A_ROW];
                next_b[i] = b[(k + at / B_ROW) * line + column / EACH + at % B_ROW];
            }
        }
        if (k > 0) {
            UNROLL for (int part = 0; part < STEP; part += TILE) {
                left_t tiles[TALL];
                UNROLL for (int i = 0; i < TALL; i++)
                    tiles[i] = coop_mat_load((local const half *)(left + (y + i * TILE) * (A_ROW + 1) + part / EACH), ROWS, STEP + EACH);
                UNROLL for (int j = 0; j < WIDE; j++) {
                    right_t tile = coop_mat_load((local const half *)(right + part * (B_ROW + 1) + x + j * (TILE / EACH)), ROWS, BLOCK + EACH);
                    UNROLL for (int i = 0; i < TALL; i++)
                        sums[i][j] = coop_mat_mulAdd(tiles[i], tile, sums[i][j]);
                }
            }
        }
    }
    UNROLL for (int i = 0; i < TALL; i++)
        UNROLL for (int j = 0; j < WIDE; j++)
            coop_mat_store(c + (row + y + i * TILE) * n + column + x * EACH + j * TILE, sums[i][j], ROWS, n);
}

// c = a × b for n × n matrices of floats by rows, in three ways.

#ifndef TILE
#define TILE 16
#endif

// One element a work-item, straight from global memory.
kernel void naive(uint n, global const float *a, global const float *b, global float *c)
{
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + column];
    c[row * n + column] = sum;
}

// One element a work-item; a work-group shares tiles of 16 × 16 in local memory.
kernel void tiled(uint n, global const float *a, global const float *b, global float *c)
{
    local float left[TILE][TILE], right[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (uint k = 0; k < n; k += TILE) {
        left[y][x] = a[row * n + k + x];
        right[y][x] = b[(k + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < TILE; i++)
            sum += left[y][i] * right[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

#ifdef EACH
// EACH × EACH elements a work-item in registers; a work-group of 16 × 16 makes a square of SIDE × SIDE.
#define SIDE (16 * EACH)
#define DEPTH 16

kernel void blocked(uint n, global const float *a, global const float *b, global float *c)
{
    local float left[DEPTH][SIDE], right[DEPTH][SIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint me = y * 16 + x;
    uint row = get_group_id(1) * SIDE, column = get_group_id(0) * SIDE;
    float sum[EACH][EACH];
    for (uint i = 0; i < EACH; i++)
        for (uint j = 0; j < EACH; j++)
            sum[i][j] = 0;

    for (uint k = 0; k < n; k += DEPTH) {
        for (uint i = 0; i < EACH; i++) {
            uint at = me + i * 256;
            left[at % DEPTH][at / DEPTH] = a[(row + at / DEPTH) * n + k + at % DEPTH];
            right[at / SIDE][at % SIDE] = b[(k + at / SIDE) * n + column + at % SIDE];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint d = 0; d < DEPTH; d++) {
            float p[EACH], q[EACH];
            for (uint i = 0; i < EACH; i++) {
                p[i] = left[d][y + i * 16];
                q[i] = right[d][x + i * 16];
            }
            for (uint i = 0; i < EACH; i++)
                for (uint j = 0; j < EACH; j++)
                    sum[i][j] += p[i] * q[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < EACH; i++)
        for (uint j = 0; j < EACH; j++)
            c[(row + y + i * 16) * n + column + x + j * 16] = sum[i][j];
}
#endif

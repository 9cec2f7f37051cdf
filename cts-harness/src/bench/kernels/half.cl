// The same in halves: saxpy on vectors of four, and a tiled matrix product.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define TILE 16

kernel void saxpy_half(half a, global const half4 *x, global const half4 *y, global half4 *z)
{
    size_t i = get_global_id(0);
    z[i] = a * x[i] + y[i];
}

// c = a × b for n × n matrices by rows; n is a multiple of TILE.
kernel void gemm_half(uint n, global const half *a, global const half *b, global half *c)
{
    local half left[TILE][TILE], right[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    half sum = 0;
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

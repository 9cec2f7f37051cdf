// A weighted 3 × 3 neighbourhood of each pixel; the border's pixels stand for those beyond.

constant float weights[3] = { 0.25f, 0.5f, 0.25f };

kernel void stencil(global const float *from, global float *to)
{
    int x = get_global_id(0), y = get_global_id(1);
    int width = get_global_size(0), height = get_global_size(1);
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int px = clamp(x + dx, 0, width - 1), py = clamp(y + dy, 0, height - 1);
            sum += weights[dx + 1] * weights[dy + 1] * from[py * width + px];
        }
    to[y * width + x] = sum;
}

#ifdef IMAGES
constant sampler_t beside = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void stencil_image(read_only image2d_t from, global float *to)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += weights[dx + 1] * weights[dy + 1] * read_imagef(from, beside, (int2)(x + dx, y + dy)).x;
    to[y * get_global_size(0) + x] = sum;
}
#endif

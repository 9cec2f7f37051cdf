constant sampler_t nearest = CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

float4 through(read_only image2d_t i, sampler_t s, float2 p) { return read_imagef(i, s, p); }

kernel void k(read_only image2d_t a, write_only image3d_t b, image2d_array_t c, image2d_depth_t d, sampler_t s,
              global float4 *out)
{
    out[0] = through(a, nearest, (float2)(1, 2)) + through(a, s, out[1].xy);
    out[1].x = read_imagef(d, s, (int2)(3, 4));
    int4 i = read_imagei(c, (int4)(1, 2, 3, 4));
    write_imageui(b, i, as_uint4(i));
    size_t layers = get_image_array_size(c);
    int2 size = get_image_dim(a);
    int4 big = get_image_dim(b);
    int kind = get_image_channel_order(a) + get_image_width(c);
}

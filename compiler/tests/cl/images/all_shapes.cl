// Every shape: reads of each type with argument and literal samplers, without one, writes, queries.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t repeat = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t mirror = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_NEAREST;
constant sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

#define READS(NAME, IMAGE, INTS, FLOATS)                                                                \
    kernel void NAME(read_only IMAGE f, read_only IMAGE i, read_only IMAGE u, sampler_t s, global float4 *out, \
                     global int4 *iout, global uint4 *uout, FLOATS p, INTS n)                           \
    {                                                                                                   \
        out[0] = read_imagef(f, s, p) + read_imagef(f, s, n) + read_imagef(f, n);                       \
        out[1] = read_imagef(f, nearest, p) + read_imagef(f, linear, p) + read_imagef(f, repeat, p);    \
        out[2] = read_imagef(f, mirror, p) + read_imagef(f, none, p) + read_imagef(f, nearest, n);      \
        out[3] = read_imagef(f, linear, n) + read_imagef(f, none, n) + read_imagef(f, repeat, n);       \
        iout[0] = read_imagei(i, s, p) + read_imagei(i, s, n) + read_imagei(i, n);                      \
        iout[1] = read_imagei(i, nearest, p) + read_imagei(i, linear, p) + read_imagei(i, mirror, p);   \
        iout[2] = read_imagei(i, nearest, n) + read_imagei(i, none, n) + read_imagei(i, linear, n);     \
        uout[0] = read_imageui(u, s, p) + read_imageui(u, s, n) + read_imageui(u, n);                   \
        uout[1] = read_imageui(u, nearest, p) + read_imageui(u, repeat, p) + read_imageui(u, nearest, n); \
        iout[3] = (int4)(get_image_width(f), get_image_channel_order(i), get_image_channel_data_type(u), 0); \
    }

READS(read_1d, image1d_t, int, float)
READS(read_1d_array, image1d_array_t, int2, float2)
READS(read_2d, image2d_t, int2, float2)
READS(read_2d_array, image2d_array_t, int4, float4)
READS(read_3d, image3d_t, int4, float4)

kernel void read_buffer(image1d_buffer_t f, image1d_buffer_t i, image1d_buffer_t u, global float4 *out, int n)
{
    out[0] = read_imagef(f, n) + convert_float4(read_imagei(i, n)) + convert_float4(read_imageui(u, n));
    out[1] = get_image_width(f);
}

#define WRITES(NAME, IMAGE, INTS)                                                                       \
    kernel void NAME(write_only IMAGE f, write_only IMAGE i, write_only IMAGE u, INTS n, float4 x)      \
    {                                                                                                   \
        write_imagef(f, n, x);                                                                          \
        write_imagei(i, n, convert_int4(x));                                                            \
        write_imageui(u, n, convert_uint4(x));                                                          \
        if (get_image_width(f) == get_image_channel_order(i) + get_image_channel_data_type(u))          \
            write_imagef(f, n, 0.0f);                                                                   \
    }

WRITES(write_1d, image1d_t, int)
WRITES(write_buffer, image1d_buffer_t, int)
WRITES(write_1d_array, image1d_array_t, int2)
WRITES(write_2d, image2d_t, int2)
WRITES(write_2d_array, image2d_array_t, int4)
WRITES(write_3d, image3d_t, int4)

kernel void sizes(image2d_t a, image2d_array_t b, write_only image3d_t c, image1d_array_t d, write_only image2d_t e,
                  global int4 *out)
{
    out[0] = (int4)(get_image_dim(a), get_image_dim(b));
    out[1] = get_image_dim(c);
    out[2] = (int4)(get_image_depth(c), get_image_array_size(b), get_image_array_size(d), get_image_height(e));
}

kernel void depth(read_only image2d_depth_t a, read_only image2d_array_depth_t b, write_only image2d_depth_t c,
                  write_only image2d_array_depth_t d, sampler_t s, global float *out)
{
    out[0] = read_imagef(a, s, (float2)(0.5f)) + read_imagef(a, s, (int2)(3)) + read_imagef(a, (int2)(2));
    out[1] = read_imagef(b, repeat, (float4)(0.5f)) + read_imagef(b, nearest, (int4)(3)) + read_imagef(b, (int4)(2));
    write_imagef(c, (int2)(1), out[2]);
    write_imagef(d, (int4)(1), out[3]);
    out[4] = get_image_width(a) + get_image_height(d) + get_image_array_size(b) + get_image_dim(c).y;
}

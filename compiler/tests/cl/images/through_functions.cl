// Images and samplers through functions, several call sites, one image as several types; nothing is a value.
const sampler_t at_edge = CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
typedef read_only image2d_t source_t;

float4 fetch(source_t image, sampler_t s, int2 p)
{
    const sampler_t own = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;
    if (p.x < 0)
        return read_imagef(image, own, convert_float2(p));
    return read_imagef(image, s, p);
}

float4 blur(read_only image2d_t image, sampler_t s, int2 p, int radius)
{
    float4 sum = 0;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++) {
            if (x * y > 8)
                continue;
            sum += fetch(image, s, p + (int2)(x, y));
        }
    return sum;
}

void put(write_only image2d_t image, int2 p, float4 value) { write_imagef(image, p, value); }

kernel void filter(read_only image2d_t a, read_only image2d_t b, sampler_t s, write_only image2d_t to, int radius)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    static const sampler_t inner = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_LINEAR;
    float4 x = blur(a, at_edge, p, radius) + blur(a, s, p, 1) + blur(b, s, p, radius);
    x += read_imagef(b, inner, convert_float2(p) / 100.0f);
    x += read_imagef(b, CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST, p);
    put(to, p, x);
}

kernel void both(read_only image2d_t a, write_only image2d_t to, int which)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    switch (which) {
    case 0: write_imagef(to, p, read_imagef(a, p)); break;
    case 1: write_imagei(to, p, read_imagei(a, p)); break;
    default: write_imageui(to, p, read_imageui(a, p)); goto end;
    }
    put(to, p + 1, 0.5f);
end:;
}

// CL 6.9.b, 6.9.k: what images and samplers cannot be.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
const sampler_t t = 0x10;
constant sampler_t none;
image2d_t global_image;
image2d_t returned(image2d_t i) { return i; }
sampler_t returned_sampler(void) { return s; }
void pointer(image2d_t *i) {}
void array(sampler_t *s) {}
struct S { image2d_t i; };
struct T { sampler_t s; };

void takes(read_only image2d_t i, sampler_t s) {}
void takes_3d(read_only image3d_t i) {}

kernel void variables(read_only image2d_t i, write_only image2d_t o, int n)
{
    image2d_t local_image;
    image2d_t list[4];
    sampler_t samplers[2];
    sampler_t later;
    sampler_t run_time = n;
    const sampler_t good = CLK_FILTER_LINEAR;
}

kernel void operators(read_only image2d_t i, read_only image2d_t j, write_only image2d_t o, sampler_t p, int n)
{
    i = j;
    p = s;
    takes(n ? i : j, p);
    takes(i, n ? s : t);
    i == j;
    !i;
    i + 1;
    &i;
    &s;
    *i;
    (int)p;
    (image2d_t)n;
    takes(o, s);
    takes(i, n);
    takes_3d(i);
    i.x;
    i[0];
    if (p) {}
    (sampler_t){0x10};
    takes(i, (sampler_t){0x10});
    p++;
}

// CL 6.12.14: which image functions take what.
kernel void k(read_only image2d_t r, write_only image2d_t w, read_only image3d_t v, write_only image3d_t x,
              image1d_buffer_t b, image2d_array_t a, image2d_depth_t d, sampler_t s, global float4 *out, float f)
{
    read_imagef(w, s, (int2)(0));
    write_imagef(r, (int2)(0), (float4)(0));
    read_imagef(r, s, (int4)(0));
    read_imagef(r, (float2)(0));
    read_imagef(b, s, 1);
    read_imagef(r, (int2)(0), s);
    read_imagef(r);
    read_imagei(d, s, (int2)(0));
    out[0] = read_imagef(d, s, (int2)(0));
    write_imagei(w, (int2)(0), (float4)(0));
    write_imagef(x, (int2)(0), (float4)(0));
    get_image_depth(r);
    get_image_height(b);
    get_image_array_size(v);
    get_image_width(s);
    get_image_dim(b);
    read_imagef(out, s, (int2)(0));
    read_imagef(r, f, (int2)(0));
    int4 n = read_imagef(r, s, (int2)(0));
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
kernel void halfs(image2d_t a, image3d_t b, image1d_buffer_t d, write_only image2d_t c, sampler_t s, global half4 *out)
{
    out[0] = read_imageh(a, s, (float2)(0.25f)) + read_imageh(a, (int2)(1)) + read_imageh(b, s, (int4)(1));
    out[1] = read_imageh(d, 3);
    write_imageh(c, (int2)(1), out[2]);
}

kernel void k(read_only image2d_t i, sampler_t s) {}

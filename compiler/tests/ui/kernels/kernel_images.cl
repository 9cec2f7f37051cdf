// without: images cl_khr_3d_image_writes cl_khr_depth_images
kernel void k(read_only image2d_t i, sampler_t s) {}
kernel void w(write_only image3d_t i) {}
kernel void d(image2d_depth_t i) {}

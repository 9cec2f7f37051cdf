// options: -cl-std=CL2.0
// device: 3.1
// Images that are read and written (OpenCL C 2.0, 6.13.14) have no reads with a sampler.
constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_FILTER_NEAREST;
void reads(read_only image2d_t im) { read_imagef(im, s, (int2)(0, 0)); }
void writes(write_only image2d_t im) { write_imagef(im, (int2)(0, 0), (float4)(1)); }
kernel void good(read_write image2d_t im, __read_write image3d_t v, read_write image1d_buffer_t b) {
  write_imagef(im, (int2)(0, 0), read_imagef(im, (int2)(1, 1)));
  write_imageui(b, 1, read_imageui(b, get_image_width(b)));
  write_imagei(v, (int4)(0), (int4)(get_image_channel_order(v)));
  atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
}
kernel void bad(read_write image2d_t im) {
  read_imagef(im, s, (int2)(0, 0));
  read_imagef(im, s, (float2)(0, 0));
  reads(im);
  writes(im);
}

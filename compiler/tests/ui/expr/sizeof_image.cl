// OpenCL C 6.3.k: sizeof does not take an image.
ulong f(read_only image2d_t i) { return sizeof(i) + sizeof(event_t); }

// Each kernel is for one buffer of 16 ints that nobody has written at first; the test writes the buffer or a part of it.

#define ARGS global const int *in, global int *out
#define COPY { out[get_global_id(0)] = in[get_global_id(0)]; }

kernel void unwritten(ARGS) COPY
kernel void written(ARGS) COPY
kernel void half_written(ARGS) COPY
kernel void filled(ARGS) COPY
kernel void copied(ARGS) COPY
kernel void rows_written(ARGS) COPY
kernel void mapped(ARGS) COPY
kernel void mapped_for_reading(ARGS) COPY
kernel void stored(ARGS) COPY
kernel void half_stored(ARGS) COPY
kernel void stored_by_loop(ARGS) COPY
kernel void lanes_stored(ARGS) COPY
kernel void in_sub_buffer(ARGS) COPY
kernel void written_sub_buffer(ARGS) COPY
kernel void changed(ARGS) { atomic_inc((global int *)in); out[0] = 1; }
kernel void in_constant_memory(constant int *in, global int *out) COPY

kernel void store(global int *to, int n) { if (get_global_id(0) < n) to[get_global_id(0)] = n; }
kernel void store_by_loop(global int *to, int n) {
  if (get_global_id(0) == 0)
    for (global int *p = to; p < to + n; p++) *p = n;
}
kernel void store_lanes(global int *to, int n) { ((global int2 *)to)[get_global_id(0) >> 1].x = n; }

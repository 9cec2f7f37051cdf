// options: -cl-std=CL3.0
// device: 3.1
// Pipes (OpenCL C 3.0, 6.15.18): what the functions accept, and where pipes may be.
#ifndef __opencl_c_pipes
#error "the feature has a macro"
#endif
typedef struct { char a; int b; } packet;
void good(pipe int p, write_only pipe packet q, local packet *s, int *x) {
  reserve_id_t id = reserve_read_pipe(p, 4), none = CLK_NULL_RESERVE_ID;
  id = is_valid_reserve_id(id) ? id : none;
  if (read_pipe(p, x) < 0 || read_pipe(p, id, 3, x) || write_pipe(q, s))
    commit_read_pipe(p, id);
  *x = get_pipe_num_packets(p) + get_pipe_max_packets(q);
}
void calls(pipe int p, write_only pipe packet q, reserve_id_t id, const int *c, int *x, float *f) {
  write_pipe(p, c);
  read_pipe(q, x);
  read_pipe(p, c);
  read_pipe(p, f);
  read_pipe(p, 1, 2, x);
  read_pipe(p, id, f, x);
  read_pipe(p, id, x);
  read_pipe(x, x);
  reserve_write_pipe(q, 1.0f);
  commit_read_pipe(p, 5);
  is_valid_reserve_id(1);
  work_group_commit_read_pipe(q, id);
  int n = id;
  id++;
  good(q, q, 0, x);
}
void places(read_write pipe int p, pipe void v, pipe bool b, pipe int *pointer, pipe int array[3]) {
  pipe int variable;
  variable = p;
  p = p;
  &p;
}
struct member { pipe int p; };
pipe int result(void);
pipe int file;
kernel void k(reserve_id_t id) {}

// Before OpenCL C 2.0, `pipe` and the names of its functions are names as any other.
typedef int reserve_id_t;
int read_pipe(reserve_id_t pipe) { return pipe; }
kernel void k(global int *p) { int pipe = read_pipe(*p); *p = pipe; }

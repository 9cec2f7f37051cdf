// OpenCL C 6.11.1: packed is for structures and members.
int f(void) __attribute__((packed));
void g(void) { int a __attribute__((packed)); }
typedef int t __attribute__((packed));

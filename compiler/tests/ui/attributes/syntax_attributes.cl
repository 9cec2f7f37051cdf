int a __attribute__;
int b __attribute__(aligned(4));
int c __attribute__((aligned(4))) __attribute__((3));
__kernel __attribute__((reqd_work_group_size(8 8, 1))) void k(void) {
    __attribute__((opencl_unroll_hint(0))) for (;;) ;
    __attribute__((frobnicate)) for (;;) ;
}

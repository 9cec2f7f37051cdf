// OpenCL C 6.12.10: between global and local.
void f(global int *g, local int *l, local float *m, event_t e) {
    async_work_group_copy(l, g, 4, e);
    async_work_group_copy(g, g, 4, e);
    async_work_group_copy(l, m, 4, e);
    async_work_group_copy(l, g, 4);
    wait_group_events(1, e);
}

// OpenCL C 6.12.10: an event is initialized with 0.
void f(void) { event_t e = 1; }

// OpenCL C 6.1.3: event_t
void f(void) { event_t e[2]; e[0] = 0; }

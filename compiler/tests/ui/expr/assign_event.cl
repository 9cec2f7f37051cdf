// OpenCL C 6.12.10: events are compared with nothing.
void f(event_t e, event_t g) { e == g; e + 1; }

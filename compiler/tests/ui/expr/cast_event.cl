// OpenCL C 6.1.3: events are not cast.
void f(event_t e, int a) { (int)e; (event_t)a; }

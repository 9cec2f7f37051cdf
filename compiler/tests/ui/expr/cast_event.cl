// OpenCL C 6.1.3: no casts of events.
void f(event_t e, int a) { (int)e; (event_t)a; }

// OpenCL C 6.9: events are variables of functions.
constant event_t e = 0;
global event_t *p;

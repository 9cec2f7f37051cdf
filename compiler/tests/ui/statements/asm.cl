// OpenCL C 6.9: no inline assembly.
void f(void) { asm("nop"); __asm__ volatile ("" : : : "memory"); }

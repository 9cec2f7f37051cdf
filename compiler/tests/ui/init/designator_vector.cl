// C99 6.7.8: vectors have no designators.
void f(void) { float4 v = {.x = 1}; float4 w = {[1] = 2}; }

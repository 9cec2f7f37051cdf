int a(void) { return; }
void b(void) { return 1; }
int c(float4 v) { return v; }
float4 d(void) { return 1; }

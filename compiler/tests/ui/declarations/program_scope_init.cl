__constant int n = 4;
int f(void) { return 1; }
__constant int a = f();
__constant int b = n;
__constant float c[] = {1, 2, get_global_id(0)};
__constant int d = sizeof(c) / sizeof(c[0]);

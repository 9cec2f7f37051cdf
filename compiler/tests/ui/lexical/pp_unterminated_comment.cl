int a; /* this never ends
int b;

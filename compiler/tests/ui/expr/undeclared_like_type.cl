// A type where an expression stands.
int f(int a) { return float4 + 1; }

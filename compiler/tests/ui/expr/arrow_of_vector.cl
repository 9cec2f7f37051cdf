// C99 6.5.2.3: vectors have no ->.
float f(float4 v) { return v->x; }

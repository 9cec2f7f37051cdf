// C99 6.7.2: the name of a type.
void f(void) { flaot x; }
vec4 g(vec3 a);

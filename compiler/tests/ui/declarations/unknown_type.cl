// C99 6.7.2: an unknown name is not a type.
void f(void) { flaot x; }
vec4 g(vec3 a);

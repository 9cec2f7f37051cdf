// Attributes that make vectors: on typedefs of scalars only, with numbers of lanes that there are.
typedef float four __attribute__((vector_size(16)));
typedef int __attribute__((vector_size(10))) not_a_multiple;
typedef int __attribute__((vector_size(20))) five;
typedef four vector __attribute__((ext_vector_type(2)));
typedef int *pointer __attribute__((vector_size(16)));
kernel void f(global float4 *p) {
  __attribute__((ext_vector_type(4))) float v;
  float __attribute__((vector_size(16))) w;
  four x = p[0];
  int wrong = x;
}

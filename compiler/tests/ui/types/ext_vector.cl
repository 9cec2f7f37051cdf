// Vectors of other sizes.
typedef float float5 __attribute__((ext_vector_type(5)));
typedef int int0 __attribute__((ext_vector_type(0)));
typedef float four __attribute__((ext_vector_type(4)));

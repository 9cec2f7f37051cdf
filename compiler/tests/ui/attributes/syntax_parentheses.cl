// OpenCL C 6.11: the form of an attribute is checked.
int g(void) __attribute__(aligned(4));
int h(void) __attribute__;

// C99 6.10.2: #include takes a header name.
#include
#include foo
#include <foo

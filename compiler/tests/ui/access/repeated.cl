// The same access qualifier again says nothing new (clang warns too).
kernel void f(read_only __read_only image2d_t i) {}

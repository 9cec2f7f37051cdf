// OpenCL C 6.8: no thread storage.
__thread int a;

// OpenCL C 6.5.3: __constant variables are initialized.
constant int a;
constant int b[3];

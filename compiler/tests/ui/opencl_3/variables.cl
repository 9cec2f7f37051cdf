// options: -cl-std=CL3.0
// device: 3.1
// Variables of the program in global memory (OpenCL C 3.0, 6.7.1).
int good = 1;
extern int elsewhere;
static global float also[2];
local int wrong_space;
private int wrong_too;
int from_variable = good;
int twice = 1;
int twice = 2;
float good;
constant int other = 1;
global int other;
event_t event;
global image2d_t image;
global int *p = &good;
constant int uninitialized;
int incomplete[];

int function(int n) {
  static int calls = n;
  static local int wrong;
  global int automatic;
  extern float elsewhere;
  static constant int five = 5;
  if (n) {
    static int nested;
    nested++;
    five = 6;
  }
  return calls + wrong;
}

kernel void k(global int *o) {
  *o = good + function(*o);
  global int g;
  static int same;
  static int same;
}

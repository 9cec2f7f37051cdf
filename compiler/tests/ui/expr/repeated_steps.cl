// A line of decrements: the error is found at once.
void f(int a) {
  switch (a)
  --------------------------------------------------------------------------------------------------
  {
    default: break;
  }
}
void g(int a) { a = ++++++a b; }

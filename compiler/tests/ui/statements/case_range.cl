// GNU case ranges.
void f(int a) { switch (a) { case 3 ... 1: break; case 5 ... 9: break; case 7: break; } }

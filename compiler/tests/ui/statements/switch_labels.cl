void f(int a, float b, int c) {
    switch (a) {
    case 1: break;
    case 2: break;
    case 1: break;
    case c: break;
    case 1.5f: break;
    default: break;
    default: break;
    }
    switch (b) { }
    case 3: ;
    default: ;
}

void f(int x, int y)
{
    x = ;
    x = y +;
    x = (y;
    x = y);
    f(x, );
    f(x y);
    x = y[;
    x = y[1 2];
    x = 3 4;
    x ? 1;
    = 3;
    x = * ;
    if x { y = 1; }
    while x;
    for (x) ;
    switch { }
    do x++; until (x);
    else y = 2;
    case : x = 1;
    goto 3;
    x = y..z;
    int 3a;
    int = 3;
    float4 v = (float4)(1, 2, 3, 4;
}

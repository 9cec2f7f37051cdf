int f(int x)
{
    int a = 1
    int b = 2;
    x = a
    x = b;
    return x
}
int g(int x)
{
    if (x) return 1
    else x = 2;
    do { x--; } while (x)
    goto end
end:
    return 0;
    break
}
struct S { int a; int b }
struct T { int a; };
int h

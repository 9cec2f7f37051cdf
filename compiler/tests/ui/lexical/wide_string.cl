// C99 6.4.5: wide string literals initialize no char array.
__constant char text[] = L"abc";

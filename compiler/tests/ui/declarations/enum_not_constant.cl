// C99 6.7.2.2: the value of an enumerator is constant.
int g(void);
enum E { A = g(), B = 1.5f };

// C99 6.7.2.3: a tag is one kind of type.
struct S { int a; };
union S x(void);
enum S y(void);

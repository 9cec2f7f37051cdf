// C99 6.7.2.3: a tag is defined once.
struct S { int a; };
struct S { int a; };
union U { int a; };
union U { int a; };
enum E { A };
enum E { B };

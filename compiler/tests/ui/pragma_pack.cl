#pragma pack()
#pragma pack(push, 1)
struct s { char c; int i; };
kernel void k(global struct s *p) { p->i = sizeof(struct s); }

#pragma pack
#pragma pack 1
#pragma pack(
#pragma pack(1
#pragma pack(3)
#pragma pack(32)
#pragma pack(1.0)
#pragma pack(-1)
#pragma pack(reset)
#pragma pack(push,)
#pragma pack(push, (1))
#pragma pack(push, name, other)
#pragma pack(push 1)
#pragma pack(1) 2
#pragma pack(pop)
#pragma pack(push, here)
#pragma pack(pop, here, 4)
#pragma pack(show)
#pragma pack()
#pragma pack(show)
#pragma pack(push, 1)
#pragma pack(push)
#pragma pack()
kernel void k(global int *p) { *p = 1; }

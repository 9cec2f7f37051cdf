bom
#define x
#define FROM_HEADER(p) (*(p) + missing)

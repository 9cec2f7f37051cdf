// C99 6.10.3: #define takes a name.
#define
#define 3 x
#define "a"

// C99 6.4.2: characters of identifiers.
int f(int höhe) { return höhe + a→b; }

// C99 6.10.1: #if allows no assignment.
#if A = 1
#endif

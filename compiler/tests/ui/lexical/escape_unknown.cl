// C99 6.4.4.4: escape sequences.
__constant char text[] = "a\qb";

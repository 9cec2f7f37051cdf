// GNU C and Clang: push_macro keeps the meaning of a name, pop_macro restores it.
#pragma push_macro(NAME)
#pragma pop_macro "NAME"
#pragma push_macro
#pragma push_macro("N"
#pragma pop_macro("NEVER_KEPT")

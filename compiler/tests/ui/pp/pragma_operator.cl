// C99 6.10.9: _Pragma takes a string.
_Pragma
_Pragma("unroll"
_Pragma(unroll)

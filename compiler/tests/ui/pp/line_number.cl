// C99 6.10.4: #line takes a digit sequence.
#line
#line x
#line -3
#line 0x10
#line 5 name

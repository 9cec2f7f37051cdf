a\
b	c \
  d // comment \
    still comment
e /* one
two */ f
"str\
ing" 'c\
'
%: define digraph <: <% %> :>
digraph
in\
t x;
#def\
ine spliced yes \
  no
spliced
#define empty
empty g
  empty empty
h
#
# /* null */
é ünï
L'x' L"y" .5 1.e+5 0x1p-3 1..2 a->b a- >b +++ --- <<=>>= ...

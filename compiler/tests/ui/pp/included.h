#ifndef INCLUDED_H
#define INCLUDED_H
#define FROM_HEADER 1
float in_header( { }
#endif

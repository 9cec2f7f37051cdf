// C99 6.10.5: #error ends the compilation.
#error this needs   more "care"

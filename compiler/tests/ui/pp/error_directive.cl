// C99 6.10.5: #error.
#error this needs   more "care"

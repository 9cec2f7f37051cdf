// C99 6.10.3.3: ## is not first or last.
#define A(x) ## x
#define B(x) x ##

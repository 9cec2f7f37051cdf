// C99 6.6: an initializer that is an address must be an address constant.
constant int a[4] = {1, 2, 3, 4};
constant int *constant p = &a[2];
constant int *constant q = (constant int *)a[1];

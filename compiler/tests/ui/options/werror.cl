// options: -Werror
// -Werror
#warning care

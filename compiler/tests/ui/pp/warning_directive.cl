// #warning, as every compiler has it.
#warning take care

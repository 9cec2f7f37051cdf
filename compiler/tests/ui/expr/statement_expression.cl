// GNU statement expressions stand in functions.
constant int a = ({ 1; });

// Integer functions (OpenCL 1.2 6.12.3). All are exact. `gentype` is any integer scalar or vector.
// Comparisons give -1 or 0 in each lane of a vector but 1 or 0 for scalars, so they are used only as
// conditions of ?:.

ugentype abs_signed(gentype x)
{
    return as_ugentype((gentype)(x < (gentype)0 ? -x : x));
}

gentype abs_unsigned(gentype x)
{
    return x;
}

// The difference fits into the unsigned type, and wrapping arithmetic computes it.
ugentype abs_diff_any(gentype x, gentype y)
{
    ugentype a = as_ugentype(x);
    ugentype b = as_ugentype(y);
    return x > y ? (ugentype)(a - b) : (ugentype)(b - a);
}

// An overflow occurs if and only if both operands have the sign that the result does not have.
gentype add_sat_signed(gentype x, gentype y)
{
    gentype r = as_gentype((ugentype)(as_ugentype(x) + as_ugentype(y)));
    gentype limit = (x >> (gentype)(GEN_BITS - 1)) ^ (gentype)(((elemtype)-1) ^ ((elemtype)1 << (GEN_BITS - 1)));
    return (gentype)((r ^ x) & (r ^ y)) < (gentype)0 ? limit : r;
}

gentype add_sat_unsigned(gentype x, gentype y)
{
    gentype r = (gentype)(x + y);
    return r < x ? (gentype)(elemtype)-1 : r;
}

// For 64 bits, the carry is computed from the bits (Warren, Hacker's Delight, 2-13): NVIDIA's Vulkan compiler
// (580) turns `r < x ? -1 : r` and `x < y ? 0 : x - y` into saturating instructions whose upper halves it
// gets wrong.
gentype add_sat_ulong(gentype x, gentype y)
{
    gentype r = (gentype)(x + y);
    gentype carry = ((x & y) | ((x | y) & ~r)) >> (gentype)63;
    return r | ((gentype)0 - carry);
}

gentype sub_sat_signed(gentype x, gentype y)
{
    gentype r = as_gentype((ugentype)(as_ugentype(x) - as_ugentype(y)));
    gentype limit = (x >> (gentype)(GEN_BITS - 1)) ^ (gentype)(((elemtype)-1) ^ ((elemtype)1 << (GEN_BITS - 1)));
    return (gentype)((x ^ y) & (r ^ x)) < (gentype)0 ? limit : r;
}

gentype sub_sat_unsigned(gentype x, gentype y)
{
    return x < y ? (gentype)0 : (gentype)(x - y);
}

// With the borrow computed from the bits as above, the same compiler gets the result wrong if y is a constant.
gentype sub_sat_ulong(gentype x, gentype y)
{
    return x - min(x, y);
}

// (x + y) >> 1 without the carry: the common bits, plus half of the differing bits.
gentype hadd_any(gentype x, gentype y)
{
    return (gentype)((x & y) + ((gentype)(x ^ y) >> (gentype)1));
}

// (x + y + 1) >> 1
gentype rhadd_any(gentype x, gentype y)
{
    return (gentype)((x | y) - ((gentype)(x ^ y) >> (gentype)1));
}

gentype rotate_any(gentype x, gentype n)
{
    ugentype u = as_ugentype(x);
    ugentype k = as_ugentype(n) & (ugentype)(GEN_BITS - 1);
    ugentype left = (ugentype)(u << k);
    ugentype right = (ugentype)(u >> (((ugentype)GEN_BITS - k) & (ugentype)(GEN_BITS - 1)));
    return as_gentype((ugentype)(left | right));
}

gentype mul_hi_any(gentype x, gentype y)
{
    return __caldera_mul_high(x, y);
}

// Multiplication of 32-bit halves, in which no sum exceeds 64 bits (Warren, Hacker's Delight, 8-2).
gentype mul_hi_ulong(gentype x, gentype y)
{
    gentype m = (gentype)0xffffffffUL;
    gentype s = (gentype)32;
    gentype xl = x & m, xh = x >> s;
    gentype yl = y & m, yh = y >> s;
    gentype hl = xh * yl + ((xl * yl) >> s);
    gentype lh = xl * yh + (hl & m);
    return xh * yh + (hl >> s) + (lh >> s);
}

// Derived from the unsigned product: each operand is subtracted if the other is negative. The first difference may wrap
// around.
gentype mul_hi_long(gentype x, gentype y)
{
    ugentype h = mul_hi(as_ugentype(x), as_ugentype(y));
    gentype s = (gentype)63;
    return as_gentype(h - (as_ugentype(x >> s) & as_ugentype(y)) - (as_ugentype(y >> s) & as_ugentype(x)));
}

gentype mad_hi_any(gentype a, gentype b, gentype c)
{
    return as_gentype((ugentype)(as_ugentype(mul_hi(a, b)) + as_ugentype(c)));
}

// Computed in the type of twice the width, where there is one.
gentype mad_sat_any(gentype a, gentype b, gentype c)
{
    return convert_gentype_sat(convert_wgentype(a) * convert_wgentype(b) + convert_wgentype(c));
}

// For unsigned 32 bits, the product plus the addend fits into 64 bits.
gentype mad_sat_ulong(gentype a, gentype b, gentype c)
{
    gentype p = mul_hi(a, b) != (gentype)0 ? (gentype)-1L : a * b;
    return add_sat(p, c);
}

// The 128-bit sum of the product and the sign-extended addend. It fits if the high half is the sign extension
// of the low half.
gentype mad_sat_long(gentype a, gentype b, gentype c)
{
    gentype s = (gentype)63;
    ugentype lo = as_ugentype(a) * as_ugentype(b);
    gentype hi = mul_hi(a, b);
    ugentype sum = lo + as_ugentype(c);
    gentype carry = sum < lo ? (gentype)1 : (gentype)0;
    gentype top = as_gentype(as_ugentype(hi) + as_ugentype(c >> s) + as_ugentype(carry));
    gentype r = as_gentype(sum);
    gentype limit = (top >> s) ^ (gentype)0x7fffffffffffffffL;
    return top == (r >> s) ? r : limit;
}

gentype clamp_signed(gentype x, gentype lo, gentype hi)
{
    return min(max(x, lo), hi);
}

gentype clamp_unsigned(gentype x, gentype lo, gentype hi)
{
    return min(max(x, lo), hi);
}

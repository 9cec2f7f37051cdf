// SHA-256 of messages of 32 bytes, `rounds` times over: the digest is the next message. The names of the functions are
// those of FIPS 180-4.

constant uint k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define ROTR(x, n) rotate((x), 32u - (n))
#define BIG_SIGMA1(x) (ROTR(x, 6u) ^ ROTR(x, 11u) ^ ROTR(x, 25u))
#define BIG_SIGMA0(x) (ROTR(x, 2u) ^ ROTR(x, 13u) ^ ROTR(x, 22u))
#define SMALL_SIGMA0(x) (ROTR(x, 7u) ^ ROTR(x, 18u) ^ (x) >> 3)
#define SMALL_SIGMA1(x) (ROTR(x, 17u) ^ ROTR(x, 19u) ^ (x) >> 10)

#define STEP(a, b, c, d, e, f, g, h, i) { \
    uint t = h + BIG_SIGMA1(e) + bitselect(g, f, e) + k[from + i] + w[i]; \
    d += t; \
    h = t + BIG_SIGMA0(a) + bitselect(a, b, c ^ a); \
}

#define EXPAND(i) w[i] += SMALL_SIGMA1(w[(i + 14) & 15]) + w[(i + 9) & 15] + SMALL_SIGMA0(w[(i + 1) & 15]);

kernel void sha256(uint rounds, global const uint *messages, global uint *digests)
{
    size_t me = get_global_id(0);
    uint v[8], w[16];
    for (int i = 0; i < 8; i++)
        v[i] = messages[me * 8 + i];
    for (uint round = 0; round < rounds; round++) {
        for (int i = 0; i < 8; i++) {
            w[i] = v[i];
            w[i + 8] = 0;
        }
        w[8] = 0x80000000;
        w[15] = 256;
        uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
        uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
        for (uint from = 0; from < 64; from += 16) {
            if (from > 0) {
                EXPAND(0) EXPAND(1) EXPAND(2) EXPAND(3) EXPAND(4) EXPAND(5) EXPAND(6) EXPAND(7)
                EXPAND(8) EXPAND(9) EXPAND(10) EXPAND(11) EXPAND(12) EXPAND(13) EXPAND(14) EXPAND(15)
            }
            STEP(a, b, c, d, e, f, g, h, 0)
            STEP(h, a, b, c, d, e, f, g, 1)
            STEP(g, h, a, b, c, d, e, f, 2)
            STEP(f, g, h, a, b, c, d, e, 3)
            STEP(e, f, g, h, a, b, c, d, 4)
            STEP(d, e, f, g, h, a, b, c, 5)
            STEP(c, d, e, f, g, h, a, b, 6)
            STEP(b, c, d, e, f, g, h, a, 7)
            STEP(a, b, c, d, e, f, g, h, 8)
            STEP(h, a, b, c, d, e, f, g, 9)
            STEP(g, h, a, b, c, d, e, f, 10)
            STEP(f, g, h, a, b, c, d, e, 11)
            STEP(e, f, g, h, a, b, c, d, 12)
            STEP(d, e, f, g, h, a, b, c, 13)
            STEP(c, d, e, f, g, h, a, b, 14)
            STEP(b, c, d, e, f, g, h, a, 15)
        }
        v[0] = a + 0x6a09e667;
        v[1] = b + 0xbb67ae85;
        v[2] = c + 0x3c6ef372;
        v[3] = d + 0xa54ff53a;
        v[4] = e + 0x510e527f;
        v[5] = f + 0x9b05688c;
        v[6] = g + 0x1f83d9ab;
        v[7] = h + 0x5be0cd19;
    }
    for (int i = 0; i < 8; i++)
        digests[me * 8 + i] = v[i];
}

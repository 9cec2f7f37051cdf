//! Large functions with pointers to private memory, which take it by value (compiler ADR 22): the code of a hash function
//! whose context has arrays of words, as programs write it that hash passwords. The host computes the expected results.

use crate::cl;
use crate::common::CL_SUCCESS;
use crate::lab::{Arg, Lab};

const ITEMS: usize = 64;
const GROUP: usize = 16;

/// The number of times that the kernel adds to the hash.
const UPDATES: usize = 16;

/// The number of rounds, and of the words of the table.
const ROUNDS: usize = 64;

/// The words of a block, in four arrays.
const WORDS: usize = 16;

type Block = [u32; WORDS];

fn table() -> [u32; ROUNDS] {
    let mut n = 0x0123_4567_u32;
    [(); ROUNDS].map(|()| {
        n ^= n << 13;
        n ^= n >> 17;
        n ^= n << 5;
        n
    })
}

/// The context of a hash.
#[derive(Clone)]
struct Context {
    state: [u64; 4],
    block: Block,
    len: usize,
}

/// Adds a block to a state.
fn transform(block: &Block, state: &mut [u64; 4]) {
    let table = table();
    let mut m = *block;
    let [mut a, mut b, mut c, mut d] = state.map(|s| s as u32 ^ (s >> 32) as u32);
    for n in 0..ROUNDS {
        let sum = d.wrapping_add(a.rotate_left(14)).wrapping_add((a & b) ^ (!a & c));
        d = sum.wrapping_add(m[n % 16]).wrapping_add(table[n]);
        m[n % 16] = m[n % 16].wrapping_add(m[(n + 7) % 16].rotate_left(19) ^ m[(n + 3) % 16]);
        (a, b, c, d) = (d, a, b, c);
    }
    b = b.wrapping_add(table[a as usize % 64]);
    for (s, n) in state.iter_mut().zip([a, b, c, d]) {
        *s = s.rotate_left(24).wrapping_add(n.into());
    }
}

/// Adds words to a hash.
fn update(c: &mut Context, words: &Block, len: usize) {
    let at = c.len % 64 / 4;
    c.len += len;
    let or = |block: &mut Block, first: usize| {
        for (n, word) in block.iter_mut().enumerate() {
            *word |= words.get((n + first).wrapping_sub(at)).copied().unwrap_or(0);
        }
    };
    or(&mut c.block, 0);
    if at * 4 + len >= 64 {
        transform(&c.block, &mut c.state);
        c.block = [0; WORDS];
        or(&mut c.block, WORDS);
    }
}

fn expected(i: u32) -> Vec<u8> {
    let start = Context {
        state: [1, 2, 3, u64::from(i)],
        block: [0; WORDS],
        len: 0,
    };
    let (mut c, mut other) = (start.clone(), start);
    for n in 0..UPDATES as u32 {
        let len = 4 * (1 + (i + n) % 16);
        let words: Block = std::array::from_fn(|w| match w < len as usize / 4 {
            true => (i + n).wrapping_mul(0x9E37_79B9) ^ w as u32,
            false => 0,
        });
        match n % 4 {
            0..=1 => update(&mut c, &words, len as usize),
            2 => update(&mut other, &words, len as usize),
            _ => {
                update(&mut other, &words, len as usize);
                // The state is the block as well.
                let mut block = c.block;
                for (n, s) in other.state.iter().enumerate() {
                    block[2 * n] = *s as u32;
                    block[2 * n + 1] = (*s >> 32) as u32;
                }
                transform(&block, &mut other.state);
            }
        }
    }
    let words = c
        .state
        .iter()
        .chain(&other.state)
        .copied()
        .chain([c.len as u64, c.block[3].into()]);
    words.flat_map(u64::to_ne_bytes).collect()
}

/// Returns the word of a block that is in four arrays named `name` and a digit.
fn word(name: &str, n: usize) -> String {
    format!("{name}{}[{}]", n / 4, n % 4)
}

fn source() -> String {
    let table: String = table().map(|n| format!("{n}u, ")).concat();
    let message: String = (0..WORDS)
        .map(|n| format!("m[{n}] = {};\n", word("w", n)))
        .collect();
    let round = |n: usize| {
        format!(
            "d += rotate(a, 14u) + ((a & b) ^ (~a & c)) + m[{0}] + table[{n}];
             m[{0}] += rotate(m[{1}], 19u) ^ m[{2}];
             {{ uint t = d; d = c; c = b; b = a; a = t; }}\n",
            n % 16,
            (n + 7) % 16,
            (n + 3) % 16,
        )
    };
    let rounds: String = (0..ROUNDS).map(round).collect();
    let moved = |at: usize| {
        let moves = (0..2 * WORDS).map(|n| {
            let to = match n < WORDS {
                true => word("f", n),
                false => word("s", n - WORDS),
            };
            match n.checked_sub(at).filter(|&n| n < WORDS) {
                Some(from) => format!("{to} = {};", word("w", from)),
                None => format!("{to} = 0;"),
            }
        });
        format!("case {at}: {} break;\n", moves.collect::<String>())
    };
    let shifts: String = (0..WORDS).map(moved).collect();
    let each = |text: &dyn Fn(usize) -> String| (0..WORDS).map(text).collect::<String>();
    let or = each(&|n| format!("c->{} |= {};", word("w", n), word("f", n)));
    let rest = each(&|n| format!("c->{} = {};", word("w", n), word("s", n)));
    let fill = each(&|n| {
        format!(
            "{} = {n} < len / 4 ? (i + n) * 0x9E3779B9u ^ {n} : 0;",
            word("w", n)
        )
    });
    let updates: String = (0..UPDATES)
        .map(|n| {
            let context = if n % 4 < 2 { "c" } else { "o" };
            let update = format!("{{ n = {n}; len = 4 * (1 + (i + n) % 16); {fill} update(&{context}, w0, w1, w2, w3, len); }}\n");
            match n % 4 {
                // The state is given twice.
                3 => format!(
                    "{update} {{ uint *s = (uint *)o.h; transform(s, s + 4, c.w2, c.w3, o.h); }}\n"
                ),
                _ => update,
            }
        })
        .collect();
    let arrays = |name: &str| (0..4).map(|n| format!("uint *{name}{n}, ")).collect::<String>();
    format!(
        "constant uint table[{ROUNDS}] = {{{table}}};
        typedef struct {{ ulong h[4]; uint w0[4]; uint w1[4]; uint w2[4]; uint w3[4]; int len; }} Context;
        void transform({w}ulong *h) {{
            uint m[16]; {message}
            uint a = h[0] ^ (h[0] >> 32), b = h[1] ^ (h[1] >> 32), c = h[2] ^ (h[2] >> 32), d = h[3] ^ (h[3] >> 32);
            {rounds} b += table[a & 63];
            h[0] = rotate(h[0], 24ul) + a; h[1] = rotate(h[1], 24ul) + b;
            h[2] = rotate(h[2], 24ul) + c; h[3] = rotate(h[3], 24ul) + d; }}
        void shift({w}{f}{s}int at) {{
            switch (at) {{ {shifts} }} }}
        void update(Context *c, {w}int len) {{
            int at = c->len % 64 / 4;
            c->len += len;
            uint f0[4], f1[4], f2[4], f3[4], s0[4], s1[4], s2[4], s3[4];
            shift(w0, w1, w2, w3, f0, f1, f2, f3, s0, s1, s2, s3, at);
            {or}
            if (at * 4 + len < 64) return;
            transform(c->w0, c->w1, c->w2, c->w3, c->h);
            {rest} }}
        kernel void k(global ulong *out) {{
            uint i = get_global_id(0), n, len, w0[4], w1[4], w2[4], w3[4];
            Context c = {{{{1, 2, 3, i}}}}, o = c;
            {updates}
            global ulong *to = out + i * 10;
            for (int k = 0; k < 4; k++) {{ to[k] = c.h[k]; to[4 + k] = o.h[k]; }}
            to[8] = c.len; to[9] = c.w0[3]; }}",
        w = arrays("w"),
        f = arrays("f"),
        s = arrays("s"),
    )
}

#[test]
fn contexts_of_hashes_are_passed_by_value() {
    let lab = Lab::new();
    let program = lab.build(&source());
    let results = lab.run(program, "k", ITEMS, Some(GROUP), &[Arg::Out(ITEMS * 80)]);
    for (i, bytes) in results[0].chunks_exact(80).enumerate() {
        assert_eq!(bytes, expected(i as u32), "work-item {i}");
    }
    assert_eq!(cl!(clReleaseProgram(program)), CL_SUCCESS);
}

//! Generates numbers that are put together from bits of others: byte swaps, rotations, fields that are extracted or
//! inserted. Compilers look for such forms, and replace them by single instructions.

use super::Generator;
use super::choices::Choices;
use crate::types::{Type, int};

impl Generator {
    /// Returns an integer that shifts, masks or reinterpretations put together. `ty` is a scalar or a vector.
    pub(super) fn fields(&mut self, ty: Type, d: usize) -> String {
        let u = ty.as_int(false);
        let bits = ty.bits() as usize;
        let x = format!("as_{}({})", u.name(), self.int(ty, d.min(1)));
        let text = match self.below(5) {
            0 => self.exchanged(u, &x, bits),
            1 => {
                // A field of x, and one of y, side by side.
                let y = format!("as_{}({})", u.name(), self.int(ty, d.min(1)));
                let at = self.distance(bits);
                let to_the_left = self.one_in(2);
                let low = shifted(u, &y, to_the_left, bits - at);
                format!("({}) | ({low})", shifted(u, &x, true, at))
            }
            2 => {
                let (left, right) = (self.distance(bits), self.distance(bits));
                let moved = shifted(u, &x, true, left);
                if self.one_in(2) {
                    let signed = ty.as_int(true);
                    let moved = format!("as_{}({moved})", signed.name());
                    format!("as_{}({})", u.name(), shifted(signed, &moved, false, right))
                } else {
                    shifted(u, &moved, false, right)
                }
            }
            3 => {
                // A field of x is replaced by bits of y.
                let y = format!("as_{}({})", u.name(), self.int(ty, d.min(1)));
                let (at, mask) = (self.distance(bits), self.field(bits));
                let mask = u.splat(&format!("{mask:#x}UL"));
                let moved = shifted(u, &y, true, at);
                format!("({x} & ~{mask}) | ({moved} & {mask})")
            }
            _ => self.permuted(u, &x, bits),
        };
        format!("as_{}({})", ty.name(), u.cast(&text))
    }

    /// Returns two parts of a number that are moved in opposite directions.
    fn exchanged(&mut self, u: Type, x: &str, bits: usize) -> String {
        let left = self.distance(bits);
        let right = if self.one_in(4) {
            self.distance(bits)
        } else {
            bits - left
        };
        let op = self.pick(&["|", "|", "^", "+"]);
        let part = |g: &mut Generator, is_left: bool, by: usize| {
            let mask = match g.below(3) {
                0 => u64::MAX,
                1 => g.field(bits),
                // The bits that the other part leaves free.
                _ if is_left => u64::MAX >> (64 - bits) >> by,
                _ => u64::MAX >> (64 - bits) << by & (u64::MAX >> (64 - bits)),
            } & (u64::MAX >> (64 - bits));
            let mask = u.splat(&format!("{mask:#x}UL"));
            match g.one_in(2) {
                true => shifted(u, &u.cast(&format!("{x} & {mask}")), is_left, by),
                false => shifted(u, x, is_left, by),
            }
        };
        let (a, b) = (part(self, true, left), part(self, false, right));
        let (a, b) = if self.one_in(2) { (a, b) } else { (b, a) };
        match op {
            // The sum of narrow numbers is one of int, whose high bits are dropped.
            "+" if u.n == 1 && u.bits() < 32 => format!("(uint)({a}) + (uint)({b})"),
            _ => format!("({a}) {op} ({b})"),
        }
    }

    /// Returns the bytes, or other parts, of a number in another order.
    fn permuted(&mut self, u: Type, x: &str, bits: usize) -> String {
        let widths: Vec<u32> = [8, 16, 32].into_iter().filter(|w| (*w as usize) < bits).collect();
        let wide = u.n * bits;
        let Some(&width) = widths.get(self.below(widths.len().max(1))) else {
            return format!("rotate({x}, {})", u.splat("4"));
        };
        let parts = wide / width as usize;
        if u.n == 3 || parts > 16 {
            return format!("rotate({x}, {})", u.splat(&(bits / 2).to_string()));
        }
        let vector = int(width, false, parts);
        let reversed = self.one_in(3);
        let order: String = (0..parts)
            .map(|n| {
                super::element(if reversed {
                    parts - 1 - n
                } else {
                    self.below(parts)
                })
            })
            .collect();
        format!("as_{}(as_{}({x}).s{order})", u.name(), vector.name())
    }

    /// Returns a distance, mostly a multiple of a byte, that is less than the number of bits.
    fn distance(&mut self, bits: usize) -> usize {
        match self.below(4) {
            0 => bits / 2,
            1 | 2 if bits > 8 => 8 * (1 + self.below(bits / 8 - 1)),
            _ => 1 + self.below(bits - 1),
        }
    }

    /// Returns a mask of adjacent bits.
    fn field(&mut self, bits: usize) -> u64 {
        let (at, size) = match self.one_in(2) {
            true => (8 * self.below(bits / 8), 8),
            false => (self.below(bits), 1 + self.below(bits)),
        };
        (u64::MAX >> (64 - size)) << at & (u64::MAX >> (64 - bits))
    }
}

/// Returns a number that is shifted by a constant.
fn shifted(u: Type, x: &str, left: bool, by: usize) -> String {
    let op = if left { "<<" } else { ">>" };
    u.cast(&format!("{x} {op} {}", u.splat(&by.to_string())))
}

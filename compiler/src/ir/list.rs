//! Lists of values, most of which are short.

use super::Value;
use std::ops::{Deref, DerefMut};

/// The number of values that are stored without an allocation.
const FEW: usize = 3;

/// A list of values, which allocates only if it has more than three. Each instruction has two such lists, and
/// a function consists mostly of instructions.
#[derive(Clone)]
pub struct ValueList(Repr);

#[derive(Clone)]
enum Repr {
    /// The number of values, and the values. The remaining array elements have no meaning.
    Few(u8, [Value; FEW]),
    Many(Vec<Value>),
}

impl ValueList {
    /// An empty list.
    pub const fn new() -> Self {
        ValueList(Repr::Few(0, [Value(0); FEW]))
    }

    /// Appends a value.
    pub fn push(&mut self, value: Value) {
        match &mut self.0 {
            Repr::Few(count, few) => match few.get_mut(usize::from(*count)) {
                Some(place) => {
                    *place = value;
                    *count += 1;
                }
                None => {
                    let mut many = few.to_vec();
                    many.push(value);
                    self.0 = Repr::Many(many);
                }
            },
            Repr::Many(many) => many.push(value),
        }
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        *self = ValueList::new();
    }

    /// Keeps the values for which the predicate is true. The predicate is called once for each value, in
    /// order.
    pub fn retain(&mut self, mut keep: impl FnMut(&Value) -> bool) {
        match &mut self.0 {
            Repr::Few(count, few) => {
                let mut kept = 0;
                for n in 0..usize::from(*count) {
                    if keep(&few[n]) {
                        few[kept] = few[n];
                        kept += 1;
                    }
                }
                *count = kept as u8;
            }
            Repr::Many(many) => many.retain(keep),
        }
    }
}

impl Default for ValueList {
    fn default() -> Self {
        ValueList::new()
    }
}

impl Deref for ValueList {
    type Target = [Value];
    // Every pass calls this for every instruction.
    #[inline]
    fn deref(&self) -> &[Value] {
        match &self.0 {
            Repr::Few(count, few) => &few[..usize::from(*count)],
            Repr::Many(many) => many,
        }
    }
}

impl DerefMut for ValueList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Value] {
        match &mut self.0 {
            Repr::Few(count, few) => &mut few[..usize::from(*count)],
            Repr::Many(many) => many,
        }
    }
}

impl std::fmt::Debug for ValueList {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        (**self).fmt(f)
    }
}

impl PartialEq for ValueList {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl From<Vec<Value>> for ValueList {
    fn from(list: Vec<Value>) -> Self {
        if list.len() > FEW {
            ValueList(Repr::Many(list))
        } else {
            list.as_slice().into()
        }
    }
}

impl From<&[Value]> for ValueList {
    fn from(list: &[Value]) -> Self {
        list.iter().copied().collect()
    }
}

impl<const N: usize> From<[Value; N]> for ValueList {
    fn from(list: [Value; N]) -> Self {
        list.as_slice().into()
    }
}

impl From<ValueList> for Vec<Value> {
    fn from(list: ValueList) -> Self {
        match list.0 {
            Repr::Few(..) => list.to_vec(),
            Repr::Many(many) => many,
        }
    }
}

impl Extend<Value> for ValueList {
    fn extend<I: IntoIterator<Item = Value>>(&mut self, values: I) {
        for value in values {
            self.push(value);
        }
    }
}

impl FromIterator<Value> for ValueList {
    fn from_iter<I: IntoIterator<Item = Value>>(values: I) -> Self {
        let mut list = ValueList::new();
        list.extend(values);
        list
    }
}

impl<'a> IntoIterator for &'a ValueList {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for ValueList {
    type Item = Value;
    type IntoIter = std::vec::IntoIter<Value>;
    fn into_iter(self) -> Self::IntoIter {
        Vec::from(self).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(list: &ValueList) -> Vec<u32> {
        list.iter().map(|v| v.0).collect()
    }

    #[test]
    fn short_and_long_lists_are_lists() {
        let mut list = ValueList::new();
        for n in 0..6 {
            assert_eq!(numbers(&list), (0..n).collect::<Vec<_>>());
            list.push(Value(n));
        }
        list.retain(|v| v.0 % 2 == 0);
        assert_eq!(numbers(&list), [0, 2, 4]);
        let mut short: ValueList = [Value(1), Value(2), Value(3)].into();
        short.retain(|v| v.0 != 2);
        assert_eq!(numbers(&short), [1, 3]);
        short[1] = Value(7);
        short.extend([Value(8), Value(9)]);
        assert_eq!(numbers(&short), [1, 7, 8, 9]);
        assert_eq!(Vec::from(short.clone()), short.to_vec());
        assert_eq!(list, ValueList::from(vec![Value(0), Value(2), Value(4)]));
    }

    /// The list must be no larger than a `Vec`, so that it costs no additional memory.
    #[test]
    fn it_is_no_larger_than_a_vector() {
        assert_eq!(size_of::<ValueList>(), size_of::<Vec<Value>>());
    }
}

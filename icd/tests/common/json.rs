//! Reads JSON, for the tests of files that the library writes.

/// A value of JSON.
#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text that consists of one value. Panics if it does not.
    pub fn parse(text: &str) -> Json {
        let mut rest = text.trim_start();
        let value = value(&mut rest);
        assert_eq!(rest.trim(), "", "something follows the value");
        value
    }

    /// Returns a field of an object, if it exists.
    pub fn find(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Returns a field of an object.
    pub fn get(&self, name: &str) -> &Json {
        self.find(name).unwrap_or_else(|| panic!("no {name} in {self:?}"))
    }

    /// Returns the elements of an array.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(list) => list,
            _ => panic!("{self:?} is no array"),
        }
    }

    /// Returns a number.
    pub fn number(&self) -> f64 {
        match self {
            Json::Number(n) => *n,
            _ => panic!("{self:?} is no number"),
        }
    }

    /// Returns a text.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => panic!("{self:?} is no text"),
        }
    }
}

/// Skips a token, and the white space after it. Panics if the text does not begin with the token.
fn expect(rest: &mut &str, token: &str) {
    let after = rest.strip_prefix(token);
    *rest = after
        .unwrap_or_else(|| panic!("{token} is missing at: {:.40}", rest))
        .trim_start();
}

fn value(rest: &mut &str) -> Json {
    match rest.chars().next() {
        Some('{') => Json::Object(several(rest, '{', '}', |rest| {
            let name = string(rest);
            expect(rest, ":");
            (name, value(rest))
        })),
        Some('[') => Json::List(several(rest, '[', ']', value)),
        Some('"') => Json::Text(string(rest)),
        Some('n') => word(rest, "null", Json::Null),
        Some('t') => word(rest, "true", Json::Bool(true)),
        Some('f') => word(rest, "false", Json::Bool(false)),
        _ => {
            let end = rest.find(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c));
            let (number, after) = rest.split_at(end.unwrap_or(rest.len()));
            *rest = after.trim_start();
            Json::Number(
                number
                    .parse()
                    .unwrap_or_else(|_| panic!("a value at: {:.40}", after)),
            )
        }
    }
}

fn word(rest: &mut &str, word: &str, value: Json) -> Json {
    expect(rest, word);
    value
}

fn several<T>(rest: &mut &str, open: char, close: char, mut item: impl FnMut(&mut &str) -> T) -> Vec<T> {
    let mut all = Vec::new();
    expect(rest, open.encode_utf8(&mut [0; 4]));
    if !rest.starts_with(close) {
        all.push(item(rest));
        while rest.starts_with(',') {
            expect(rest, ",");
            all.push(item(rest));
        }
    }
    expect(rest, close.encode_utf8(&mut [0; 4]));
    all
}

fn string(rest: &mut &str) -> String {
    let mut out = String::new();
    let mut chars = rest.strip_prefix('"').expect("a string").chars();
    loop {
        match chars.next().expect("a string ends") {
            '"' => break,
            '\\' => match chars.next().expect("something is escaped") {
                'n' => out.push('\n'),
                'u' => {
                    let digits: String = chars.by_ref().take(4).collect();
                    let code = u32::from_str_radix(&digits, 16).expect("four digits");
                    out.push(char::from_u32(code).expect("a character"));
                }
                c => out.push(c),
            },
            c => out.push(c),
        }
    }
    *rest = chars.as_str().trim_start();
    out
}

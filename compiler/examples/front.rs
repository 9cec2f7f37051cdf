//! Preprocesses and parses files; prints the log, with `-E` the tokens, with `-A` the tree, with `-T` times.
#![allow(clippy::print_stdout, reason = "a tool")]

use caldera_compiler::{diag::Diags, options::Options, pp, source::SourceMap, syntax, target::Target};

fn main() {
    let mut flags = Vec::new();
    let mut options = String::new();
    let mut args = std::env::args().skip(1);
    while let Some(a) = args.next() {
        if a == "-o" {
            options = args.next().unwrap_or_default();
            continue;
        }
        if a.starts_with('-') {
            flags.push(a);
            continue;
        }
        let text = std::fs::read_to_string(&a).expect("readable");
        let size = text.len();
        let options = Options::parse(&options).expect("options");
        let rounds = if flags.iter().any(|f| f == "-T") { 20 } else { 1 };
        let (mut best_pp, mut best_parse) = (f64::MAX, f64::MAX);
        for round in 0..rounds {
            let mut map = SourceMap::default();
            let main = map.add(a.as_str(), text.as_str());
            let mut diags = Diags::default();
            let start = std::time::Instant::now();
            let tokens = pp::preprocess(
                &mut map,
                main,
                &options,
                &Target::desktop(),
                &pp::NoIncludes,
                &mut diags,
            );
            best_pp = best_pp.min(start.elapsed().as_secs_f64());
            let start = std::time::Instant::now();
            let unit = syntax::parse(&tokens, &map, &mut diags);
            best_parse = best_parse.min(start.elapsed().as_secs_f64());
            if round == 0 {
                if flags.iter().any(|f| f == "-E") {
                    print!("{}", pp::tokens_to_text(&tokens, &map));
                }
                if flags.iter().any(|f| f == "-A") {
                    println!("{unit:#?}");
                }
                print!("{}", diags.render(&map));
            }
        }
        println!(
            "{a}: {size} bytes, pp {:.3} ms, parse {:.3} ms",
            best_pp * 1e3,
            best_parse * 1e3
        );
    }
}

//! Completions for shells, made from the options that `--help` names.

use std::collections::BTreeSet;

/// A shell for which there are completions.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Shell {
    pub(crate) fn parse(name: &str) -> Option<Shell> {
        Some(match name {
            "bash" => Shell::Bash,
            "zsh" => Shell::Zsh,
            "fish" => Shell::Fish,
            _ => return None,
        })
    }
}

/// Returns the options in the text of `--help`. An option with a value ends with the equals sign.
fn options(help: &str) -> BTreeSet<&str> {
    help.split_whitespace()
        .map(|word| {
            let end = word.find(['[', ',', ')', ';', ':']).unwrap_or(word.len());
            let word = word[..end].trim_end_matches('.');
            word.find('=').map_or(word, |equals| &word[..=equals])
        })
        .filter(|word| word.len() > 1 && word.starts_with('-'))
        .collect()
}

/// Returns the script that teaches a shell the options in the text of `--help`. All other words are completed as
/// names of files.
pub(crate) fn script(shell: Shell, help: &str) -> String {
    let options = options(help);
    let list = options.iter().copied().collect::<Vec<_>>().join(" ");
    match shell {
        Shell::Bash => format!(
            "\
_calderac() {{
    local cur=${{COMP_WORDS[COMP_CWORD]}}
    case $cur in
        -*)
            COMPREPLY=($(compgen -W '{list}' -- \"$cur\"))
            [[ ${{COMPREPLY[0]-}} != *= ]] || compopt -o nospace
            ;;
        *) COMPREPLY=($(compgen -f -- \"$cur\")) ;;
    esac
}}
complete -o filenames -F _calderac calderac
"
        ),
        Shell::Zsh => format!(
            "\
#compdef calderac
local -a options
options=({list})
if [[ $PREFIX == -* ]]; then
    compadd -- ${{options:#*=}}
    compadd -S '' -- ${{(M)options:#*=}}
else
    _files
fi
"
        ),
        Shell::Fish => {
            let line = |option: &&str| {
                let name = option.trim_end_matches('=');
                let words = match name.strip_prefix("--") {
                    Some(long) => format!("-l {long}"),
                    None if name.len() == 2 => format!("-s {}", &name[1..]),
                    None => format!("-o {}", &name[1..]),
                };
                let value = if option.ends_with('=') { " -r" } else { "" };
                format!("complete -c calderac {words}{value}\n")
            };
            options.iter().map(line).collect()
        }
    }
}

//! What a value is by its signs: a template, code that is evaluated, a number, a name.

use crate::value::letters::is_wordy;
use crate::words::words;

/// A call, an index, or what a shell puts in.
pub(crate) fn is_evaluated(value: &str) -> bool {
    is_call_or_index(value) || ["$(", "${"].iter().any(|start| value.starts_with(start))
}

/// Something that is filled in elsewhere: as a whole (`<token>`, `$TOKEN`, `%TOKEN%`, `{token}`), or in a
/// part (`${TOKEN}`, `{{ token }}`, `%s`).
pub(crate) fn is_template(value: &str) -> bool {
    let inner = |start: &str, end: &str| {
        value
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
    };
    let whole = inner("<", ">")
        .or(inner("{", "}"))
        .or(inner("[", "]"))
        .or(inner("((", "))"))
        .or(inner("%", "%"))
        .or(inner("@", "@"))
        .or(inner("__", "__"))
        .is_some_and(|name| {
            name.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b" _-.:/|'!".contains(&b))
        });
    let variable = value.strip_prefix('$').is_some_and(is_path_of_names);
    whole
        || variable
        || is_made_of_variables(value)
        || is_command_line(value)
        || holds_template(value)
}

/// `read PW && echo $PW`: commands of plain words with a sign between them, of which one is given a variable.
fn is_command_line(value: &str) -> bool {
    let is_name = |word: &str| {
        let is_letter = |b: u8| b.is_ascii_alphabetic() || b == b'_' || b == b'-';
        !word.is_empty() && word.bytes().all(is_letter)
    };
    let joins = |word: &str| matches!(word, "&&" | "||" | "|" | ";");
    let is_variable = |word: &str| word.strip_prefix('$').is_some_and(is_name);
    let mut words = value.split(' ');
    words.clone().any(joins)
        && words.clone().any(is_variable)
        && words.all(|word| is_name(word) || joins(word) || is_variable(word))
}

/// `$username:$password`: nothing but names of variables, with a sign between two.
fn is_made_of_variables(value: &str) -> bool {
    let mut parts = value.split([':', '/', '@', '-', '|', ',', ' ']);
    let is_variable = |part: &str| {
        part.strip_prefix('$').is_some_and(|name| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && is_path_of_names(name)
        })
    };
    value.starts_with('$') && parts.all(is_variable)
}

/// `[A-Za-z0-9]{8`: what a value has to be like, as a regular expression.
pub(crate) fn is_pattern(value: &str) -> bool {
    const RANGES: [&str; 3] = ["a-z", "A-Z", "0-9"];
    let mut sets = value.split('[').skip(1);
    sets.any(|set| {
        let set = set.split_once(']').map_or("", |(set, _)| set);
        RANGES.iter().any(|range| set.contains(range))
    })
}

/// Whether a part of the value is filled in elsewhere.
fn holds_template(value: &str) -> bool {
    const PARTS: [(&str, &str); 7] = [
        ("${", "}"),
        ("{{", "}}"),
        ("$(", ")"),
        ("#{", "}"),
        ("<%", "%>"),
        ("%(", ")s"),
        ("\\(", ")"),
    ];
    let part = PARTS.iter().any(|(start, end)| {
        value
            .split_once(start)
            .is_some_and(|(_, rest)| rest.contains(end))
    });
    let named = value.split_once('{').is_some_and(|(_, rest)| {
        rest.split_once('}')
            .is_some_and(|(name, _)| name.is_empty() || is_path_of_names(name))
    });
    part || named || ["%s", "%v", "%d"].iter().any(|verb| value.contains(verb))
}

/// `name`, `env:NAME`, `config.password`, `user->password`, `parts[1]`.
fn is_path_of_names(value: &str) -> bool {
    !value.is_empty()
        && value
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"_.:->[]!".contains(&b))
}

/// Code that is evaluated, not a literal.
pub(crate) fn is_expression(value: &str) -> bool {
    is_call_or_index(value)
        || value.starts_with("this.")
        || words()
            .expression_starts
            .iter()
            .any(|start| value.starts_with(start))
        || words()
            .expression_parts
            .iter()
            .any(|part| value.contains(part))
}

/// `f(…)`, `map[…]`
fn is_call_or_index(value: &str) -> bool {
    let name = value
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_.:".contains(b))
        .count();
    name > 0 && matches!(value.as_bytes().get(name), Some(b'[' | b'('))
}

/// `Read-Host`, `ConvertTo-SecureString`: a command of PowerShell, which are named by a verb of its list and a noun.
pub(crate) fn is_cmdlet(value: &str) -> bool {
    value.split_once('-').is_some_and(|(verb, noun)| {
        words().cmdlet_verbs.has(verb)
            && noun.starts_with(|c: char| c.is_ascii_uppercase())
            && noun.bytes().all(|b| b.is_ascii_alphabetic())
    })
}

/// A place on the web or of a file, or a name that is one everywhere.
pub(crate) fn is_address(value: &str) -> bool {
    ["http://", "https://", "file:", "urn:", "./", "../", "~/"]
        .iter()
        .any(|start| value.starts_with(start))
        || (value.starts_with('/') && value[1..].contains('/') && is_wordy(value))
}

/// `config.password`, `user_password`, `PASSWORD_FIELD`: the value is a name, or a path of names.
pub(crate) fn is_identifier_chain(value: &str) -> bool {
    let value = value.trim_end_matches(['?', '!', ')']);
    let mut digits = 0;
    let name = value.bytes().all(|b| {
        digits += usize::from(b.is_ascii_digit());
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.')
    });
    name && (digits == 0 || value.contains(['.', '_']))
        && value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// `0x1003`, `2147483737u32`, `4i32`, `1.2.840.113549`: a number as programs and standards write it.
pub(crate) fn is_number(value: &str) -> bool {
    let suffixes = &words().number_suffixes;
    let hex = value
        .strip_prefix("0x")
        .or_else(|| value.strip_prefix("0X"))
        .is_some_and(|number| {
            let end = number.trim_start_matches(|c: char| c.is_ascii_hexdigit() || c == '_');
            let digits = &number[..number.len() - end.len()];
            let count = digits.bytes().filter(u8::is_ascii_hexdigit).count();
            // What no register holds is a key.
            (1..=16).contains(&count) && suffixes.has(end)
        });
    let digits = value.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '_'));
    hex || (digits.len() < value.len() && suffixes.has(digits))
}

/// A quoted number that can only be typed in: `"123456"`.
pub(crate) fn is_pin(value: &str) -> bool {
    value.len() >= 6 && value.bytes().all(|b| b.is_ascii_digit())
}

/// `D3D10_SB_RETURN_TYPE`: the name of a constant.
pub(crate) fn is_constant_name(value: &str) -> bool {
    value.contains('_')
        && value
            .bytes()
            .all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

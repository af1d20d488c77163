//! Where a keyword is worth a closer look, told from the bytes around it: most of the keywords that ordinary text is full
//! of (`https://…`, `cookie`, `authorization`) are none, and a regular expression takes a hundred times as long to say so.

use std::ops::Range;

use crate::scanned_text::Text;

/// Which bytes are among these: of a long run, asked so for each, that is known several times as fast.
const fn bytes(these: &[u8]) -> [bool; 256] {
    let mut among = [false; 256];
    let mut at = 0;
    while at < these.len() {
        among[these[at] as usize] = true;
        at += 1;
    }
    among
}

/// Nothing can be told.
pub(crate) fn always(_: &Text<'_>, _: Range<usize>) -> bool {
    true
}

/// More of a token follows.
pub(crate) fn goes_on(text: &Text<'_>, keyword: Range<usize>) -> bool {
    /// How many more bytes a token has at least.
    const MORE: usize = 10;
    let token = |b: u8| b.is_ascii_alphanumeric() || b"+/=_-.~,".contains(&b);
    text.run(keyword.end, MORE, token) == keyword.end + MORE
}

/// Somebody is named behind `://`.
pub(crate) fn has_user(text: &Text<'_>, keyword: Range<usize>) -> bool {
    const ENDS: [bool; 256] = bytes(b" \t\n\x0c\r/?#:@\"'<>`");
    let end = text.run(keyword.end, usize::MAX, |b| !ENDS[usize::from(b)]);
    matches!(text.get(end), Some(b':' | b'@'))
}

/// A name and a colon stand right behind `//`, as no comment begins that has a blank there.
pub(crate) fn names_login(text: &Text<'_>, keyword: Range<usize>) -> bool {
    const LONGEST: usize = 64;
    let in_name = |b: u8| b.is_ascii_alphanumeric() || b"._%+-".contains(&b);
    let end = text.run(keyword.end, LONGEST, in_name);
    end > keyword.end && text.get(end) == Some(b':')
}

/// More of a token follows, and no word goes on with the keyword: `re_` ends many.
pub(crate) fn begins_token(text: &Text<'_>, keyword: Range<usize>) -> bool {
    let before = text.slice(keyword.start.saturating_sub(2)..keyword.start);
    let begins = match before {
        [b'\\', b'n' | b'r' | b't'] => true,
        [.., before] => !before.is_ascii_alphanumeric() && *before != b'_',
        [] => true,
    };
    begins && goes_on(text, keyword)
}

/// A value follows the name of a header: behind a sign, or in a field of its own.
pub(crate) fn is_header(text: &Text<'_>, keyword: Range<usize>) -> bool {
    /// How far the name of that field is, in bytes.
    const FIELD: usize = 112;
    const NAME: &[u8] = b"value";
    if text.slice(keyword.clone()).ends_with(b" ") {
        return true;
    }
    let closed = text.run(keyword.end, usize::MAX, |b| b"\\\"'])".contains(&b));
    let sign = text.run(closed, 64, |b| b.is_ascii_whitespace());
    if text.get(sign).is_some_and(|b| b":=,".contains(&b)) {
        return true;
    }
    let field = text.window(keyword.end, FIELD);
    memchr::memchr2_iter(b'v', b'V', field).any(|at| {
        let word = field.get(at..at + NAME.len());
        word.is_some_and(|word| word.eq_ignore_ascii_case(NAME))
    })
}

/// More of a name follows, long enough for a word.
pub(crate) fn is_joined(text: &Text<'_>, keyword: Range<usize>) -> bool {
    /// How many more bytes such a name has at least.
    const WORD: usize = 3;
    let in_name = |b: u8| b.is_ascii_alphanumeric() || b"_.-".contains(&b);
    text.run(keyword.end, WORD, in_name) == keyword.end + WORD
}

/// What stands between the two dots of a token of Discord's, and before and behind them, is as long as there: the next
/// place from `from` on.
pub(crate) fn discord_dots(bytes: &[u8], from: usize) -> Option<usize> {
    const BEFORE: usize = 22;
    const BETWEEN: usize = 6;
    let token = |b: &u8| b.is_ascii_alphanumeric() || b"_-".contains(b);
    memchr::memchr_iter(b'.', bytes.get(from..)?)
        .map(|dot| from + dot)
        .find(|dot| {
            bytes.get(dot + BETWEEN + 1) == Some(&b'.')
                && bytes[dot + 1..=dot + BETWEEN].iter().all(token)
                && *dot >= BEFORE
                && bytes[dot - BEFORE..*dot].iter().all(token)
        })
}

/// The sign behind the number of an application of Facebook's: the next place from `from` on.
pub(crate) fn facebook_sign(bytes: &[u8], from: usize) -> Option<usize> {
    const NUMBER: usize = 15;
    memchr::memchr2_iter(b'|', b'%', bytes.get(from..)?)
        .map(|sign| from + sign)
        .find(|sign| {
            let before = bytes[..*sign].iter().rev().take(NUMBER);
            before.len() == NUMBER && before.clone().all(u8::is_ascii_digit)
        })
}

/// A user is given a password by SQL: what stands before `IDENTIFIED` says so, or that it is in capitals.
pub(crate) fn names_user(text: &Text<'_>, identified: Range<usize>) -> bool {
    /// How far back a statement is read, in bytes.
    const STATEMENT: usize = 208;
    const WORDS: [&[u8]; 4] = [b"user", b"role", b"grant", b"to"];
    let in_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let start = text.run_back(identified.start, STATEMENT, |b| b != b';');
    let cut = start.checked_sub(1).and_then(|at| text.get(at));
    let statement = text.slice(start..identified.start);
    // The first word may have lost its beginning.
    let whole = match cut {
        Some(b) if in_word(&b) => statement.iter().position(|b| !in_word(b)),
        _ => Some(0),
    };
    let mut words = statement[whole.unwrap_or(statement.len())..].split(|b| !in_word(b));
    text.slice(identified).starts_with(b"IDENTIFIED")
        || words.any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_keyword_is_told_from_a_word_by_what_stands_around_it() {
        type Likely = fn(&Text<'_>, Range<usize>) -> bool;
        let cases: [(Likely, &str, &[&str], &[&str]); 7] = [
            (
                names_login,
                " //",
                &[" //bob:x@y", " //a.b-c:"],
                &[" // bob:x@y", " //bob", " //:x", " //bob/x:y"],
            ),
            (
                begins_token,
                "re_",
                &["re_0123456789", "a re_0123456789", "\\nre_0123456789"],
                &["are_0123456789", "_re_0123456789", "re_012345678"],
            ),
            (
                has_user,
                "://",
                &["a://b:c@d", "a://b@c"],
                &["a://b/c:d@e", "a://b", "a://b c@d"],
            ),
            (
                is_header,
                "cookie",
                &["cookie: a", "cookie\\\"] \n= a", "cookie, value: a"],
                &["cookie", "cookies: a", "cookie is of no use"],
            ),
            (
                goes_on,
                "key-",
                &["key-0123456789"],
                &["key-012345678", "key- 0123456789"],
            ),
            (
                is_joined,
                "discord",
                &["discord_key", "discord.token=", "discordClient"],
                &["discord", "discord and", "discord.x "],
            ),
            (
                names_user,
                "IDENTIFIED ",
                &[
                    "IDENTIFIED by",
                    "grant all to x identified by",
                    "user identified by",
                ],
                &["identified by", "auto identified by", "to x; identified by"],
            ),
        ];
        for (likely, keyword, yes, no) in cases {
            for (text, wanted) in
                (yes.iter().map(|text| (text, true))).chain(no.iter().map(|text| (text, false)))
            {
                let lower = text.to_ascii_lowercase();
                let at = lower.find(&keyword.to_ascii_lowercase()).unwrap_or(0);
                let text = Text::new(text.as_bytes());
                assert_eq!(likely(&text, at..at + keyword.len()), wanted, "{lower}");
            }
        }
    }

    #[test]
    fn places_are_found_where_all_around_them_fits() {
        let token = format!("N{}.{}.x", "a".repeat(21), "b".repeat(6));
        assert_eq!(discord_dots(token.as_bytes(), 0), Some(22));
        assert_eq!(discord_dots(token.as_bytes(), 23), None);
        assert_eq!(discord_dots(&token.as_bytes()[1..], 0), None);
        let number = format!("{}|x", "1".repeat(15));
        assert_eq!(facebook_sign(number.as_bytes(), 0), Some(15));
        assert_eq!(facebook_sign(&number.as_bytes()[1..], 0), None);
    }
}

//! Tells personal data from texts that only look like it.

use windlass_search::WordList;

/// Domains that have no mailboxes of real people.
const NOWHERE: [&str; 8] = [
    "example.com",
    "example.org",
    "example.net",
    "example",
    "test",
    "invalid",
    "localhost",
    "users.noreply.github.com",
];
/// Addresses that belong to programs, without the `@` and the domain.
const PROGRAMS: [&str; 6] = ["git", "noreply", "no-reply", "hg", "svn", "mailer-daemon"];

/// Home folders that could be anyone's, such as in examples.
static ANYBODY: WordList = WordList::new(include_str!("word_lists/home_folders.txt"));

/// True if `path` ends with the home folder of a person who could be identified by it.
pub(crate) fn is_home_of_somebody(path: &str) -> bool {
    let path = path.trim_end_matches(['/', '\\']);
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = name.to_lowercase();
    !ANYBODY.has(&name) && !name.starts_with("your")
}

/// True for the address of a person, as opposed to that of a program, or one on a reserved domain.
pub(crate) fn is_address_of_somebody(address: &str) -> bool {
    let lower = address.to_lowercase();
    let Some((name, host)) = lower.rsplit_once('@') else {
        return false;
    };
    let is_nowhere = |ending: &str| {
        let above = host.strip_suffix(ending);
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    };
    !PROGRAMS.contains(&name) && !NOWHERE.into_iter().any(is_nowhere)
}

/// True for an IBAN or the number of a payment card, going by the check digits.
pub(crate) fn is_account(number: &str) -> bool {
    let plain: String = number.chars().filter(char::is_ascii_alphanumeric).collect();
    match plain.starts_with(|c: char| c.is_ascii_alphabetic()) {
        true => (15..=34).contains(&plain.len()) && remainder(&plain) == 1,
        false => {
            (13..=19).contains(&plain.len()) && is_luhn(&plain) && plain.contains(|c| c != '0')
        }
    }
}

/// The account number modulo 97, as defined by ISO 13616. For a valid IBAN, this is 1.
fn remainder(account: &str) -> u32 {
    let (country, rest) = account.split_at(4);
    let digits = rest.chars().chain(country.chars());
    let values = digits.filter_map(|c| c.to_digit(36));
    values.fold(0, |sum, value| {
        let shift = if value > 9 { 100 } else { 10 };
        (sum * shift + value) % 97
    })
}

fn is_luhn(digits: &str) -> bool {
    let values = digits.chars().rev().filter_map(|c| c.to_digit(10));
    let sum: u32 = values
        .enumerate()
        .map(|(at, value)| match (at % 2, value * 2) {
            (0, _) => value,
            (_, double) => double / 10 + double % 10,
        })
        .sum();
    sum.is_multiple_of(10)
}

/// True if this may be a US social security number. Some groups of digits are never issued.
pub(crate) fn is_social_security(number: &str) -> bool {
    let mut groups = number.split('-');
    let (Some(area), Some(group), Some(serial)) = (groups.next(), groups.next(), groups.next())
    else {
        return false;
    };
    let is_given = !matches!(area, "000" | "666") && !area.starts_with('9');
    is_given && group != "00" && serial != "0000"
}

#[cfg(test)]
mod tests {
    use crate::unshared::broken;

    #[test]
    fn personal_data_vs_lookalikes() {
        for personal in [
            "ask legit@acme.com",
            "ask bob@test.company.com",
            "ask Alice.Meyer@example.company.io",
            "call (555) 123-4567",
            "call 555-867-5309 first",
            "tel: 0151 2345 6789",
            "call +49 151 2345 6789",
            "pay to DE89 3704 0044 0532 0130 00",
            "the card 4111 1111 1111 1111",
            "her number is 078-05-1120",
            "it lies in /home/bob/src/app",
            "see `/Users/alice.meyer/notes.md`",
            r"path = C:\Users\Bob\app and more",
            r#"{"path":"C:\\Users\\Bob\\app"}"#,
            "file:///home/bob/notes.md",
        ] {
            assert_eq!(broken(personal), ["personal-data"], "{personal}");
        }
        for other in [
            "git@github.com:a/b.git",
            "noreply@acme.com",
            "x@example.com or y@sub.example.org",
            "the build 1234567890123 of 2025-03-12",
            "version 555.123.45",
            "from 100-200-300 to 10.0.0.1:8080",
            "commit AB12 is not an account",
            "000-12-3456 is a pattern",
            "phone support closes at 18:00",
            "/home/user/app, /home/runner/work/x and /Users/you/app",
            r"C:\Users\Public\x and /home/<name>/x, ~/src, $HOME/src",
            "the route /home/ and https://acme.com/home/bob/ and src/home/page/x.rs",
            "the ticket ١٢٣-٤٥-٦٧٨٩",
            "১২৩-৪৫-৬৭৮৯ and 123-4৫-6789",
            "+४९ १५१ २३४५ ६७८९, DE٨٩ ٣٧٠٤ ٠٠٤٤ ٠٥٣٢ ٠١٣٠ ٠٠",
        ] {
            assert!(broken(other).is_empty(), "{other}: {:?}", broken(other));
        }
    }
}

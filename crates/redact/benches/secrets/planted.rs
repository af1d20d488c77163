//! Measures recall: the redacted share of values planted in texts of every syntax.
//!
//! In each set, every other value is for tuning and the rest for deciding. A rule is therefore
//! never judged by the values it was made for.

use windlass_redact::redact_for_cache;

use crate::made_secrets::{ALNUM, BASE64, HEX, LOWER, random, tokens};
use crate::peer::Peer;
use crate::syntaxes::{BRACKETED, PLACES, QUOTED, UNQUOTED, fill};

/// Positive examples of gitleaks' rules, written backwards.
const EXAMPLES: &str = include_str!("../../tests/data/issuer_examples.txt");
/// Lines of code, configuration and prose without a secret.
const HARMLESS: &str = include_str!("../../tests/it/harmless_lines.txt");

const PASSWORD_NAMES: [&str; 8] = [
    "password",
    "DB_PASSWORD",
    "dbPassword",
    "smtp.password",
    "admin-passwd",
    "keyPassphrase",
    "MYSQL_PWD",
    "userPasswordConfirmation",
];
const TOKEN_NAMES: [&str; 8] = [
    "API_TOKEN",
    "apiKey",
    "client_secret",
    "auth-token",
    "SECRET_KEY_BASE",
    "storage.account.key",
    "githubToken2",
    "WEBHOOK_SECRET",
];

pub(crate) struct Planted {
    text: String,
    value: String,
    /// The text without the value, to detect chance occurrences of a piece of the value.
    around: String,
}

/// Prints the recall on every set, and the alarms in lines without a secret.
pub(crate) fn measure(peer: Option<&Peer>, show: usize) {
    println!(
        "{:24} {:>7} {:>8} {:>8}",
        "recall", "values", "tune %", "decide %"
    );
    for (name, set) in sets() {
        row(&name, &set, peer, show);
    }
    let examples = examples();
    let found = |text: &String| !redact_for_cache(text).1.is_empty();
    let ours = examples.iter().filter(|text| found(text)).count();
    println!("examples of gitleaks     {ours} of {}", examples.len());
    if let Some(peer) = peer {
        let theirs = examples
            .iter()
            .filter(|text| !peer.lines("", text).is_empty());
        println!(
            "  found by gitleaks      {} of {}",
            theirs.count(),
            examples.len()
        );
        for (name, why) in &peer.unusable {
            println!("rule `{name}` of gitleaks is skipped: {why}");
        }
    }
    let harmless: Vec<&str> = harmless().collect();
    let alarms = harmless
        .iter()
        .filter(|line| !redact_for_cache(line).1.is_empty());
    println!(
        "alarms in harmless lines {} of {}",
        alarms.count(),
        harmless.len()
    );
}

pub(crate) fn harmless() -> impl Iterator<Item = &'static str> {
    HARMLESS.lines()
}

pub(crate) fn sets() -> Vec<(String, Vec<Planted>)> {
    let mut sets = vec![
        ("issuer tokens".to_owned(), issuer_tokens()),
        ("places".to_owned(), places()),
    ];
    for (name, values) in shapes() {
        let names: &[&str] = if name.starts_with("token") {
            &TOKEN_NAMES
        } else {
            &PASSWORD_NAMES
        };
        let quoted = [QUOTED, BRACKETED].concat();
        sets.push((format!("{name}, quoted"), planted(&quoted, names, &values)));
        if !values.iter().any(|value| value.contains(' ')) {
            sets.push((format!("{name}, bare"), planted(UNQUOTED, names, &values)));
        }
    }
    sets
}

/// Prints one set, with even values for tuning and odd ones for deciding.
fn row(name: &str, set: &[Planted], peer: Option<&Peer>, mut show: usize) {
    let mut found = [0_usize; 2];
    let mut theirs = 0;
    for (at, planted) in set.iter().enumerate() {
        let is_gone = planted.is_gone();
        found[at % 2] += usize::from(is_gone);
        if !is_gone && show > 0 {
            show -= 1;
            println!("    {name}: {:?}", planted.text);
        }
        theirs += usize::from(peer.is_some_and(|peer| !peer.lines("", &planted.text).is_empty()));
    }
    let share = |found: usize, all: usize| found as f64 * 100.0 / all.max(1) as f64;
    print!(
        "{name:24} {:7} {:8.1} {:8.1}",
        set.len(),
        share(found[0], set.len().div_ceil(2)),
        share(found[1], set.len() / 2)
    );
    match peer {
        Some(_) => println!("   gitleaks {:.1}", share(theirs, set.len())),
        None => println!(),
    }
}

impl Planted {
    /// True if no four consecutive characters of the value are left, except for those also in the
    /// surrounding text.
    pub(crate) fn is_gone(&self) -> bool {
        let shown = redact_for_cache(&self.text).0;
        let value: Vec<char> = self.value.chars().collect();
        let mut pieces = value
            .windows(4)
            .map(|piece| piece.iter().collect::<String>());
        !pieces.any(|piece| {
            shown.as_str().contains(&piece)
                && !self.around.contains(&piece)
                && !"[redacted:assigned-secret]".contains(&piece)
        })
    }
}

fn planted(syntaxes: &[&str], names: &[&str], values: &[String]) -> Vec<Planted> {
    let mut set = Vec::new();
    for (at, syntax) in syntaxes.iter().enumerate() {
        for (value_at, value) in values.iter().enumerate() {
            let name = names[(at + value_at * 3) % names.len()];
            // Quotes within literals aren't tested here.
            let value = value.replace(['\'', '"', '`', '\\'], "");
            set.push(Planted {
                text: fill(syntax, name, &value),
                around: fill(syntax, name, ""),
                value,
            });
        }
    }
    set
}

fn issuer_tokens() -> Vec<Planted> {
    let contexts = [
        "VALUE",
        "x = \"VALUE\"\n",
        "see VALUE, and go on",
        "https://x.org/?t=VALUE&y=1",
        "- VALUE\n",
    ];
    let mut set = Vec::new();
    for seed in [11, 12, 13, 14] {
        for (_, value) in tokens(seed) {
            let context = contexts[set.len() % contexts.len()];
            set.push(Planted {
                text: fill(context, "", &value),
                around: fill(context, "", ""),
                value,
            });
        }
    }
    set
}

fn places() -> Vec<Planted> {
    let values: Vec<String> = (0..6).map(|seed| random(ALNUM, 20, seed + 40)).collect();
    planted(PLACES, &[""], &values)
}

/// Values as made by programs and chosen by people, by shape.
fn shapes() -> Vec<(&'static str, Vec<String>)> {
    const SIGNS: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789!#$%&*+-=?@^_~";
    let made = |alphabet: &str, length: usize| -> Vec<String> {
        (0..12)
            .map(|seed| random(alphabet, length, seed + 70))
            .collect()
    };
    let chosen = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    vec![
        ("token of 20 letters", made(ALNUM, 20)),
        ("token of 32 hex", made(HEX, 32)),
        ("token of 40 base64", made(BASE64, 40)),
        ("token of 36 lower", made(LOWER, 36)),
        ("made password of 12", made(SIGNS, 12)),
        ("made password of 16", made(SIGNS, 16)),
        ("made password of 24", made(ALNUM, 24)),
        (
            "word and number",
            chosen(&[
                "Sommer2024!",
                "hunter22",
                "Winter2023",
                "Berlin#2021",
                "tiger4711",
                "Passage1987!",
                "monkey446",
                "dragon99!",
                "Welcome123",
                "Football77",
                "Shadow2019",
                "Mustang#65",
            ]),
        ),
        (
            "word, dot or underscore, number",
            chosen(&[
                "Sommer.2024",
                "Winter_2024",
                "Mueller_1987",
                "max.muster1",
                "Berlin_2021",
                "R2.D2x77",
                "root_pw1",
                "Pa.ss.w0rd",
            ]),
        ),
        (
            "leet",
            chosen(&[
                "Tr0ub4dor",
                "p4ssw0rd!",
                "s3cr3t_pw",
                "h4ckth3pl4net",
                "c0rrecth0rse",
                "b4ttery-st4ple",
                "m0nk3yb4rs",
                "l3tm3in99",
                "pa55word_prod",
                "z3br4corn",
                "qu4rtz-ph0ne",
                "r00tb33r",
            ]),
        ),
        (
            "phrase",
            chosen(&[
                "correct h0rse battery",
                "Sommer in Berlin 2024!",
                "blue Sky 99!",
                "x9 y8 z7 w6",
                "four Words & 1 number",
                "it rains c4ts today",
                "zebra unicorn quartz 7!",
                "my d0g has fleas",
            ]),
        ),
    ]
}

/// Decodes [`EXAMPLES`].
fn examples() -> Vec<String> {
    let lines = EXAMPLES.lines().filter(|line| !line.starts_with('#'));
    let examples = lines.filter_map(|line| {
        let (_, kept) = line.split_once('\t')?;
        let backwards = kept
            .replace("\\\\", "\u{1}")
            .replace("\\n", "\n")
            .replace('\u{1}', "\\");
        Some(backwards.chars().rev().collect())
    });
    examples.collect()
}

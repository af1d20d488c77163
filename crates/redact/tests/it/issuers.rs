//! Measures our rules with the examples from another tool's tests.

use windlass_redact::redact_text;

/// Tokens not found, with the reason.
const NOT_FOUND: [&str; 1] = [
    // The value names the kind of a file rather than a secret.
    "gcp-service-account",
];

/// Decodes the stored examples.
fn examples() -> Vec<(&'static str, String)> {
    let lines = include_str!("../data/issuer_examples.txt").lines();
    let examples = lines.filter(|line| !line.starts_with('#'));
    examples
        .map(|line| {
            let (rule, kept) = line.split_once('\t').unwrap();
            let backwards = kept
                .replace("\\\\", "\u{1}")
                .replace("\\n", "\n")
                .replace('\u{1}', "\\");
            (rule, backwards.chars().rev().collect())
        })
        .collect()
}

#[test]
fn all_examples_of_all_rules_are_found() {
    let examples = examples();
    assert!(examples.len() > 600);
    let missed: Vec<&(&str, String)> = examples
        .iter()
        .filter(|(rule, text)| !NOT_FOUND.contains(rule) && redact_text(text).1.is_empty())
        .collect();
    assert!(
        missed.is_empty(),
        "{} of {}: {missed:#?}",
        missed.len(),
        examples.len()
    );
}

#[test]
fn nothing_of_the_examples_is_left() {
    let in_word = |c: char| c.is_ascii_alphanumeric() || "+=_~-".contains(c);
    // A generated word consists of many letters and digits. A name contains one or two digits.
    let is_made = |word: &&str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= 16 && digits >= 2 && digits < word.len()
    };
    let left: Vec<String> = examples()
        .iter()
        .filter(|(rule, _)| !NOT_FOUND.contains(rule))
        .filter_map(|(rule, text)| {
            let shown = redact_text(text).0;
            let mut words = shown.as_str().split(|c: char| !in_word(c));
            let word = words.find(is_made)?;
            Some(format!("{rule}: {word} in {}", shown.as_str()))
        })
        .collect();
    assert!(left.is_empty(), "{}: {left:#?}", left.len());
}

#[test]
fn what_only_looks_like_them_is_left() {
    for text in [
        "curl -u $USER:$PASSWORD https://example.org",
        "curl --user \"${A}:${B}\" x",
        "curl -H \"Authorization: Bearer $TOKEN\" x",
        "curl -H 'Content-Type: application/json' -H 'X-Api-Version: 2024-01-01' x",
        "discord_channel = 244498513919249575",
        "the asana project 6991922001192520 is done",
        "dropbox_folder = quarterly2024rep",
        "sourcegraph search finds it",
        "version .= \"1.2.3\"",
        "list ::= element",
        "xoxp-XXXXXXXXXX-XXXXXXXXXX-XXXXXXXXXXX-XXXXXXXXXXXXXXXX",
        "http://a%20b:c%20d@host/",
        "http://%3D%5B%5D%3A%3B%22~%7C%3F%23%40%5E%2F$%25*@host/",
        "val usernameAndPassword = \"$username:$password\"",
        "the snyk project 6f1c7a52-0d5e-4a3a-9f55-0a1c2b3d4e5f is listed there",
        "telegram 12345678: All messages are kept for a while here",
        "pat.example.test and sat.example.test are hosts",
        "\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.signature\"",
        "the icon ico-arrow-left-to-the-right-of-the-bar is drawn",
        "API-COMPATIBILITY-AND-VERSIONING is a section",
        "rdme_first_steps and sm_pattern_of_several_words are files",
        "glc_context_create_with_attributes_and_more()",
        "app.run(\"Measurements_of_the_month.values.of_all_the_rooms_in_the_house\")",
        "client.login(NAMES_OF_ALL_THE_THINGS.inside.what_is_said_of_them_in_words)",
        "Authorization: Bot YOUR_BOT_TOKEN",
        "Authorization: SSWS ${api_token}",
        "Authorization: SSWS yourApiToken",
        "re_compiled_patterns_of_all_the_languages is kept",
        "are_Ab3dEf7h_x9Kq2LmZ7vTb4WcY8nRd1234 is a name",
        "sk_buff_alloc_with_frags_and_more()",
        "rnd_generatorOfTheNumbersOfDice()",
        "napi_create_string_utf8_with_a_length_that_is_known_before_it_is_made",
        "tskey-auth-XXXX is what such a key begins with",
        "oauth:authorization_code_of_the_server",
        "oauth:authorizationcodeoftheserverxx",
        "pat-na1-your-token and access-sandbox-your-token",
        "the generalNRAL",
        "phc_ is how the key of a project begins",
    ] {
        assert_eq!(redact_text(text).1, [], "{text}");
    }
}

#[test]
fn tokens_are_known_by_what_they_are_given_to() {
    let discord = "MTAESQedUStPKR0CsTy4Qwb8.GDwkNh._hBKqFYY_kv5ZJr3J1TWDtkwtDDb-xHKas1VOq";
    let telegram = "123456789:AAkysaCZKRwKmEfIuHDBI6O3jz9MNfZZdUR";
    let okta = "00UdjAWtGSU8po-799NksnRH9ucAUsdMlHUvTCQCyE";
    for (before, secret, after) in [
        ("https://api.telegram.org/bot", telegram, "/sendMessage"),
        ("BOT_TOKEN=", telegram, ""),
        ("new Telegraf('", telegram, "')"),
        ("client.run(\"", discord, "\")"),
        ("bot.login('", discord, "');"),
        ("Authorization: Bot ", discord, ""),
        ("headers = {\"Authorization\": \"Bot ", discord, "\"}"),
        ("Authorization: SSWS ", okta, ""),
        ("-H 'authorization: ssws ", okta, "'"),
        ("req.Header.Set(\"Authorization\", \"SSWS ", okta, "\")"),
    ] {
        let text = format!("{before}{secret}{after}");
        let (shown, found) = redact_text(&text);
        assert_eq!(found.len(), 1, "{text}");
        assert!(
            !shown.as_str().contains(&secret[4..20]),
            "{}",
            shown.as_str()
        );
        assert!(shown.as_str().starts_with(before), "{}", shown.as_str());
    }
}

//! Measures the speed of redaction on made-up source code and documents.

use std::time::Instant;

use windlass_redact::WholeText;

const LINES: usize = 400;
/// Minimum speed, in bytes per second.
const GOAL: f64 = 200e6;
const REPEAT: usize = 7;

/// Prints the median speed for each kind of text, and returns true if all reach [`GOAL`].
pub(crate) fn measure() -> bool {
    let begun = Instant::now();
    let _ = WholeText::new(b"token = x".to_vec()).findings();
    let ready = begun.elapsed().as_secs_f64() * 1e3;
    println!("{:24} {ready:8.2} ms", "first text");
    let texts = |make: fn(usize, usize) -> String, count| -> Vec<Vec<u8>> {
        (0..count).map(|at| make(at, LINES).into_bytes()).collect()
    };
    let documents = texts(document, 500);
    // In a single text, all documents are searched for a secret found in one of them, like in a
    // filter.
    let one = vec![documents.concat()];
    let rows = [
        ("source", texts(source, 2_000)),
        ("documents", documents),
        ("documents in one text", one),
    ];
    let speeds = rows.map(|(name, texts)| measured(name, &texts));
    speeds.iter().all(|speed| *speed >= GOAL)
}

fn measured(name: &str, texts: &[Vec<u8>]) -> f64 {
    let bytes = texts.iter().map(Vec::len).sum::<usize>() as f64;
    let mut values = 0;
    let mut speeds: Vec<f64> = (0..=REPEAT)
        .map(|_| {
            let texts: Vec<WholeText> = texts.iter().cloned().map(WholeText::new).collect();
            let begun = Instant::now();
            values = texts.iter().map(|text| text.findings().len()).sum();
            bytes / begun.elapsed().as_secs_f64()
        })
        .skip(1)
        .collect();
    speeds.sort_unstable_by(f64::total_cmp);
    let speed = speeds[speeds.len() / 2];
    let met = if speed >= GOAL { "met" } else { "NOT MET" };
    println!(
        "{name:24} {:5.0} MB {:7.0} MB/s  {values} values  {met}",
        bytes / 1e6,
        speed / 1e6
    );
    speed
}

/// Makes up source file number `at`, with about `lines` lines.
fn source(at: usize, lines: usize) -> String {
    const WORDS: [&str; 16] = [
        "anchor", "budget", "cable", "cursor", "deck", "digest", "drum", "harbour", "ledger",
        "pawl", "pointer", "rope", "section", "span", "tide", "winch",
    ];
    let mut text = format!("//! Module {at}.\n\nuse std::collections::BTreeMap;\n");
    for part in 0..lines / 7 {
        let word = |factor: usize| WORDS[(part * factor + at * 3 + factor) % WORDS.len()];
        let (first, second, third) = (word(5), word(7), word(11));
        text += &format!(
            "\n/// Moves the {first} of the {second}.\npub fn {first}_{second}_{at}_{part}({third}: u32) -> u32 {{\n    \
             let {second} = {third}.wrapping_mul({});\n    // The {third} holds the {first}.\n    {second} + {at}\n}}\n",
            part * 37 % 1000,
        );
    }
    text
}

/// Makes up document number `at`, with about `lines` lines. Like documentation of servers and
/// clients, it mentions secrets.
fn document(at: usize, lines: usize) -> String {
    const SAID: [&str; 8] = [
        "Each request has an `Authorization` header, which names who asks, and a cookie for the session.",
        "See [the guide](https://example.com/guide/tokens.html) for what a token may do, or ask `curl`:",
        "",
        "    curl -s https://api.example.com/v1/items -H 'accept: application/json' | jq .",
        "The password is kept by whoever set it; the key identified by its name is read from the environment.",
        "| option | default | what it does |",
        "- `secretName`: what the secret is called, and `passwordFile`: where it stands",
        "Basic authentication, discord and facebook are told in [another](https://example.com/other) page.",
    ];
    let mut text = format!("# Document {at}\n\n");
    for line in 0..lines {
        text.push_str(SAID[(line * 5 + at) % SAID.len()]);
        text.push('\n');
    }
    text
}

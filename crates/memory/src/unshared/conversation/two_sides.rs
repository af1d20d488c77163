//! Tells a dialogue between two sides from a description of them.

use super::{Form, Side, Turn};

/// Names of the answering side that commonly mean something else. With `me` on the other side, they
/// don't indicate a conversation.
const ANYBODY: [&str; 3] = ["model", "bot", "agent"];

/// Beginnings of an answer that are unusual in an explanation.
const ANSWERS: [&str; 7] = [
    "sure", "sorry", "let's", "here is", "here's", "got it", "fixed it",
];
/// Beginnings of an answer that must be followed by punctuation or the end. `good for tests` isn't
/// an answer.
const SHORT_ANSWERS: [&str; 8] = ["done", "fixed", "ok", "okay", "yes", "no", "great", "good"];
/// Phrases that always address the other side.
const REQUESTS: [&str; 5] = ["can you", "could you", "would you", "thank you", "thanks"];
/// Phrases that address the other side unless the text is a description.
const ADDRESSES: [&str; 6] = [
    "please", "give me", "show me", "tell me", "help me", "let me",
];
/// Phrases that address the other side at the start of a sentence. Within a sentence, an author may
/// use them in any text.
const OPENINGS: [&str; 7] = ["i", "i'm", "i'll", "i've", "my", "do you", "did you"];
/// Beginnings of user stories, which use the first person but address nobody.
const STORIES: [&str; 4] = ["as a ", "as an ", "as the ", "i want to "];
/// First words of the description of a role.
const DESCRIPTIONS: [&str; 10] = [
    "a",
    "an",
    "any",
    "anybody",
    "anyone",
    "somebody",
    "someone",
    "everybody",
    "everyone",
    "whoever",
];
/// Words that look like a verb in the third person but aren't.
const NO_VERBS: [&str; 5] = ["does", "thanks", "always", "perhaps", "sometimes"];
/// Minimum number of words in a turn if neither side addresses the other. The values of settings
/// are shorter.
const FEW_WORDS: usize = 3;
/// Minimum number of words in at least one answer if neither side addresses the other.
const ANSWER_WORDS: usize = 5;

/// Returns true if consecutive turns form a dialogue between two sides.
pub(crate) fn is_conversation(turns: &[Turn]) -> bool {
    let says = |turn: &&Turn| {
        let is_whole = turn.form != Form::Tag || turn.is_ended;
        is_whole && turn.speaker.side != Side::Other && !turn.said.trim().is_empty()
    };
    let turns: Vec<&Turn> = turns.iter().filter(says).collect();
    let changes = turns
        .windows(2)
        .filter(|two| two[0].speaker.side != two[1].speaker.side)
        .count();
    let is_of = |names: &[&str]| turns.iter().any(|turn| names.contains(&turn.speaker.name));
    if changes == 0 || is_of(&["me"]) && is_of(&ANYBODY) {
        return false;
    }
    turns.iter().any(|turn| is_said_to_somebody(turn)) || changes > 1 && goes_back_and_forth(&turns)
}

/// Returns true if turns of two sides form a dialogue even though neither addresses the other.
fn goes_back_and_forth(turns: &[&Turn]) -> bool {
    let words = |turn: &&&Turn| turn.said.split_whitespace().count();
    let is_one = |side: Side| {
        let mut names = turns
            .iter()
            .filter(|turn| turn.speaker.side == side)
            .map(|turn| turn.speaker.name);
        let first = names.next();
        names.all(|name| Some(name) == first)
    };
    match turns.first().map(|turn| turn.form) {
        // These notations are used for nothing but conversations, so a few words are enough.
        Some(Form::Json | Form::ChatMl) => turns.iter().any(|turn| words(&turn) >= FEW_WORDS),
        Some(Form::Plain | Form::Bold | Form::Heading(_)) => {
            is_one(Side::Asker)
                && is_one(Side::Answerer)
                && turns
                    .iter()
                    .all(|turn| words(&turn) >= FEW_WORDS && !describes(&turn.said.to_lowercase()))
                && turns
                    .iter()
                    .filter(|turn| turn.speaker.side == Side::Answerer)
                    .any(|turn| words(&turn) >= ANSWER_WORDS)
        }
        _ => false,
    }
}

/// Returns true if the turn is a question, an answer or a tool call, or if it addresses the other
/// side.
fn is_said_to_somebody(turn: &Turn) -> bool {
    let said = turn.said.trim().to_lowercase().replace('\u{2019}', "'");
    if turn.form == Form::Screen && turn.speaker.side == Side::Answerer && is_call(&turn.said) {
        return true;
    }
    if STORIES.iter().any(|begin| said.starts_with(begin)) {
        return false;
    }
    if holds(&said, &REQUESTS, |_| true) {
        return true;
    }
    if describes(&said) {
        return false;
    }
    let is_answer = turn.speaker.side == Side::Answerer && answers(&said);
    let is_sentence = |before: &str| {
        let before = before.trim_end();
        before.is_empty() || before.ends_with(['.', '!', '?'])
    };
    is_answer
        || asks(&said)
        || holds(&said, &ADDRESSES, |_| true)
        || holds(&said, &OPENINGS, is_sentence)
}

/// Returns true if `said` begins like an answer.
fn answers(said: &str) -> bool {
    let is_short = |answer: &&str| -> bool {
        let rest = said.strip_prefix(*answer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', ',', '!', ':', ';']))
    };
    ANSWERS.iter().any(|answer| begins(said, answer)) || SHORT_ANSWERS.iter().any(is_short)
}

/// Returns true if `said` asks the other side. A question answered by its own author doesn't count.
fn asks(said: &str) -> bool {
    let is_answered = |rest: &str| {
        let rest = rest.trim_start();
        begins(rest, "yes") || begins(rest, "no")
    };
    said.match_indices('?').any(|(at, _)| {
        let rest = &said[at + 1..];
        (rest.is_empty() || rest.starts_with(' ')) && !is_answered(rest)
    })
}

/// Returns true if `said` describes a role, as in `a person with an account` or `opens the form`.
fn describes(said: &str) -> bool {
    let first = said.split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches([',', '.', ';', ':']);
    let is_verb = first.len() > 3
        && first.bytes().all(|b| b.is_ascii_lowercase())
        && first.ends_with('s')
        && !["ss", "us", "is"].iter().any(|end| first.ends_with(end))
        && !NO_VERBS.contains(&first);
    is_verb || DESCRIPTIONS.contains(&first)
}

/// Returns true if `said` contains one of `phrases` and `fitting` accepts the text before it.
fn holds(said: &str, phrases: &[&str], fitting: impl Fn(&str) -> bool) -> bool {
    said.char_indices().any(|(at, c)| {
        let before = &said[..at];
        let is_start = c.is_alphanumeric()
            && before
                .chars()
                .next_back()
                .is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '"' | ','));
        is_start && phrases.iter().any(|words| begins(&said[at..], words)) && fitting(before)
    })
}

/// Returns true if `text` begins with `words` as whole words.
fn begins(text: &str, words: &str) -> bool {
    let rest = text.strip_prefix(words);
    rest.is_some_and(|rest| {
        !rest.starts_with(|c: char| c.is_alphanumeric() || c == '\'' || c == '-')
    })
}

/// Returns true if `said` is an agent's tool call, such as `Bash(cargo bench)`.
fn is_call(said: &str) -> bool {
    let said = said.trim();
    said.split_once('(').is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
    })
}

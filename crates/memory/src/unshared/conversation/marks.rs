//! The ways in which the speaker of a turn is marked.

use super::{Form, Piece, Side, Speaker, Turn};

/// Marks for the start and the end of a turn in ChatML.
const CHAT_ML: (&str, &str) = ("<|im_start|>", "<|im_end|>");
/// Character in front of an answer in an agent's terminal display.
const SCREEN_ANSWER: char = '\u{23fa}';
/// Prefixes of a question in an agent's terminal display.
const SCREEN_PROMPTS: [&str; 2] = ["> ", "\u{276f} "];
/// The speakers in an agent's terminal display, which doesn't name them.
const ON_SCREEN: (Speaker, Speaker) = (
    Speaker {
        side: Side::Asker,
        name: "user",
    },
    Speaker {
        side: Side::Answerer,
        name: "assistant",
    },
);

/// Returns the speaker at the start of `piece`, the notation, and the rest of the line.
pub(crate) fn marked<'a>(piece: &Piece<'a>) -> Option<(Speaker, Form, &'a str)> {
    let line = piece.line;
    by_heading(line)
        .or_else(|| by_colon(line))
        .or_else(|| listed(line))
        .or_else(|| by_tag(line))
        .or_else(|| alone(line).filter(|_| piece.is_apart))
        .or_else(|| on_screen(piece))
}

/// Returns the level of the heading in `line`, or 0 if `line` isn't a heading.
pub(crate) fn level_of(line: &str) -> u32 {
    let level = line.len() - line.trim_start_matches('#').len();
    let is_heading = level <= 6 && line[level..].starts_with([' ', '\t']);
    u32::try_from(level)
        .ok()
        .filter(|_| is_heading)
        .unwrap_or(0)
}

/// Returns `line`, which is part of `turn`, without the mark that ends the turn. The flag is true
/// if there was one.
pub(crate) fn without_end<'a>(turn: &Turn, line: &'a str) -> (&'a str, bool) {
    let at = match turn.form {
        Form::ChatMl => line.find(CHAT_ML.1),
        Form::Tag => {
            let mut ends = line.match_indices("</");
            let is_own = |rest: &str| {
                rest.split_once('>')
                    .is_some_and(|(name, _)| name.eq_ignore_ascii_case(turn.speaker.name))
            };
            ends.find(|(at, _)| is_own(&line[at + 2..]))
                .map(|(at, _)| at)
        }
        _ => None,
    };
    at.map_or((line, false), |at| (line[..at].trim_end(), true))
}

fn by_heading(line: &str) -> Option<(Speaker, Form, &str)> {
    let level = Some(level_of(line)).filter(|level| *level > 0)?;
    let (speaker, rest) = speaker(line.trim_start_matches('#'))?;
    let rest = rest.trim().trim_start_matches(':').trim();
    rest.is_empty()
        .then_some((speaker, Form::Heading(level), ""))
}

fn by_colon(line: &str) -> Option<(Speaker, Form, &str)> {
    let marks = line.len() - line.trim_start_matches(['*', '_']).len();
    let (speaker, rest) = speaker(&line[marks..])?;
    let rest = rest.trim_start();
    if marks < 2 {
        let said = rest.strip_prefix(':').filter(|_| marks == 0)?;
        let is_apart = said.is_empty() || said.starts_with(char::is_whitespace);
        return is_apart.then_some((speaker, Form::Plain, said));
    }
    // The colon may be inside the bold text, as in `**User:**`, or after it.
    let (has_colon, rest) = match rest.strip_prefix(':') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let rest = rest.strip_prefix(['*', '_'])?;
    let rest = rest.trim_start_matches(['*', '_']).trim_start();
    match rest.strip_prefix(':').filter(|_| !has_colon) {
        Some(said) => Some((speaker, Form::Bold, said)),
        None => (has_colon || rest.is_empty()).then_some((speaker, Form::Bold, rest)),
    }
}

/// Parses `- User: …`, a list item in the notation of [`by_colon`].
fn listed(line: &str) -> Option<(Speaker, Form, &str)> {
    let (mark, item) = line.split_once(' ')?;
    let number = mark.strip_suffix(['.', ')']);
    let is_number = number
        .is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    if !is_number && !matches!(mark, "-" | "*" | "+") {
        return None;
    }
    let (speaker, _, said) = by_colon(item.trim_start())?;
    Some((speaker, Form::Listed, said))
}

/// Parses a tag: `<user>` or `<|im_start|>user`.
fn by_tag(line: &str) -> Option<(Speaker, Form, &str)> {
    let (name, form, said) = match line.strip_prefix(CHAT_ML.0) {
        Some(rest) => {
            let end = rest.find(|c: char| !c.is_alphanumeric());
            let (name, said) = rest.split_at(end.unwrap_or(rest.len()));
            (name, Form::ChatMl, said)
        }
        None => {
            let (name, said) = line.strip_prefix('<')?.split_once('>')?;
            (name, Form::Tag, said)
        }
    };
    Some((Speaker::of(name)?, form, said))
}

/// Parses a name on a line of its own: `user`.
fn alone(line: &str) -> Option<(Speaker, Form, &str)> {
    let (speaker, rest) = speaker(line)?;
    rest.trim().is_empty().then_some((speaker, Form::Alone, ""))
}

/// Parses an agent's terminal display: `> …` for a question and `⏺ …` for an answer.
fn on_screen<'a>(piece: &Piece<'a>) -> Option<(Speaker, Form, &'a str)> {
    if let Some(said) = piece.raw.trim_start().strip_prefix(SCREEN_ANSWER) {
        return Some((ON_SCREEN.1, Form::Screen, said));
    }
    let mut prompts = SCREEN_PROMPTS.iter();
    let said = prompts.find_map(|prompt| piece.raw.strip_prefix(prompt))?;
    (!said.trim().is_empty()).then_some((ON_SCREEN.0, Form::Screen, said))
}

/// Returns the speaker at the start of `text` and the rest. Accepts decoration, as in `[10:32] 🧑
/// User (10:32)` or `ChatGPT said`.
fn speaker(text: &str) -> Option<(Speaker, &str)> {
    let mut text = text.trim_start();
    if let Some(rest) = text.strip_prefix('[') {
        text = rest.split_once(']')?.1;
    }
    let text = text.trim_start_matches(|c: char| !c.is_ascii() && !c.is_alphanumeric() || c == ' ');
    let end = text
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(text.len());
    let speaker = Speaker::of(&text[..end])?;
    let mut rest = &text[end..];
    rest = rest.strip_prefix(" said").unwrap_or(rest);
    if let Some((_, behind)) = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|it| it.split_once(')'))
    {
        rest = behind;
    }
    Some((speaker, rest))
}

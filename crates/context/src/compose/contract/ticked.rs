/// Parses `- [ ] it works` or `1. [x] done` into its state (true if checked) and its text. Other
/// lines give `None`.
pub(super) fn ticked(line: &str) -> Option<(bool, &str)> {
    let line = line.trim_start();
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = match digits {
        0 => line.strip_prefix(['-', '*', '+']),
        _ => line[digits..].strip_prefix(['.', ')']),
    };
    let rest = rest?.strip_prefix(' ')?.trim_start();
    let boxes = [("[ ] ", false), ("[x] ", true), ("[X] ", true)];
    let (is_done, text) = boxes
        .iter()
        .find_map(|(tick, is_done)| Some((*is_done, rest.strip_prefix(tick)?)))?;
    let text = text.trim();
    (!text.is_empty()).then_some((is_done, text))
}

use crate::{Lines, Outline, Symbol};

impl Outline {
    /// Returns the smallest symbol containing all of `lines`. Of two symbols with the same lines,
    /// returns the inner one.
    #[must_use]
    pub fn enclosing(&self, lines: Lines) -> Option<&Symbol> {
        let holding = self
            .symbols
            .iter()
            .filter(|symbol| symbol.lines.holds(lines));
        // Inner symbols come after their containers. Search from the end, because `min_by_key`
        // returns the first of equal elements.
        holding.rev().min_by_key(|symbol| symbol.lines.count())
    }

    /// Returns symbols that `wanted` may refer to, in file order. We first look for exactly this
    /// path, then for paths ending with the parts of `wanted`. If there are still none, case is
    /// ignored.
    ///
    /// `::`, `.`, `#` and `>` separate parts. `Type::method` and `Trait::method` both refer to
    /// `<Type as Trait>::method`. A heading may contain separators itself.
    #[must_use]
    pub fn find(&self, wanted: &str) -> Vec<&Symbol> {
        let select = |matches: &dyn Fn(&Symbol) -> bool| -> Vec<&Symbol> {
            self.symbols
                .iter()
                .filter(|symbol| matches(symbol))
                .collect()
        };
        let written = wanted.trim().trim_start_matches('#').trim();
        // Try the text as given first. A heading's path may itself have surrounding spaces or `#`
        // marks.
        for path in [wanted, written] {
            let exact = select(&|symbol| !path.is_empty() && symbol.path == path);
            if !exact.is_empty() {
                return exact;
            }
        }
        let wanted = written;
        if wanted.is_empty() {
            return Vec::new();
        }
        let same_case = |a: &str, b: &str| a == b;
        let any_case = |a: &str, b: &str| a.to_lowercase() == b.to_lowercase();
        let parts = parts(wanted);
        for same in [same_case as fn(&str, &str) -> bool, any_case] {
            let found = select(&|symbol| {
                same(&symbol.name, wanted)
                    || same(&symbol.path, wanted)
                    || ends_with(symbol, &parts, same)
            });
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }
}

/// Returns true if the symbol's path ends with `parts`.
fn ends_with(symbol: &Symbol, parts: &[&str], same: fn(&str, &str) -> bool) -> bool {
    let Some(skipped) = symbol.segments().len().checked_sub(parts.len()) else {
        return false;
    };
    let last = symbol.segments().skip(skipped);
    !parts.is_empty()
        && last
            .zip(parts)
            .all(|(segment, part)| is_part(segment, part, same))
}

/// Returns true if `part` refers to `segment`. For example, `Type`, `Trait` and `Trait<T>` all
/// refer to `<Type as Trait<T>>`.
fn is_part(segment: &str, part: &str, same: fn(&str, &str) -> bool) -> bool {
    if same(segment, part) {
        return true;
    }
    let of_trait = segment
        .strip_prefix('<')
        .and_then(|inner| inner.strip_suffix('>'))
        .and_then(|inner| inner.split_once(" as "));
    of_trait.is_some_and(|(of, of_trait)| {
        let bare = of_trait.split('<').next().unwrap_or(of_trait);
        [of, of_trait, bare].iter().any(|name| same(name, part))
    })
}

/// Splits a name at the separators. Text in angle brackets stays in one part.
fn parts(wanted: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_u32);
    for (at, letter) in wanted.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            ':' | '.' | '#' | '>' if depth == 0 => {
                parts.push(&wanted[start..at]);
                start = at + letter.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&wanted[start..]);
    parts
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect()
}

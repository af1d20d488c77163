//! The brackets that a place in an expression is in, and what they are around.

/// How deep brackets are followed.
const DEPTH: usize = 8;

/// What brackets are around.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    /// The values of a list, and those of its names.
    List,
    /// Arguments that are taken where there is nothing else.
    Default,
    /// What is looked up, and behind it what is taken otherwise.
    Lookup,
    /// An expression, arguments of any function, a branch.
    Plain,
    /// What a function is given behind the first, of which one may be called a default.
    Rest,
    /// An index, an object.
    Other,
}

/// The brackets around a place, the outermost first.
pub(super) struct Brackets {
    around: [Bracket; DEPTH],
    /// The brackets themselves.
    signs: [u8; DEPTH],
    depth: usize,
}

impl Brackets {
    /// Outside of all brackets.
    pub(super) fn none() -> Self {
        Self {
            around: [Bracket::Other; DEPTH],
            signs: [0; DEPTH],
            depth: 0,
        }
    }

    /// How many are open.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// What the innermost are around.
    pub(super) fn inside(&self) -> Option<Bracket> {
        self.depth.checked_sub(1).map(|at| self.around[at])
    }

    /// Whether any of them is around `what`.
    pub(super) fn are_around(&self, what: Bracket) -> bool {
        self.around[..self.depth].contains(&what)
    }

    /// Whether what stands here is no part of the value itself: in an index, an object, a further argument.
    pub(super) fn are_beside(&self) -> bool {
        self.are_around(Bracket::Other) || self.are_around(Bracket::Rest)
    }

    /// Goes on in the bracket `sign` around `what`; whether that can be followed.
    pub(super) fn enter(&mut self, sign: u8, what: Bracket) -> bool {
        if self.depth == DEPTH {
            return false;
        }
        self.around[self.depth] = what;
        self.signs[self.depth] = sign;
        self.depth += 1;
        true
    }

    /// Goes on behind a comma; what the brackets were around before it, if there are any.
    pub(super) fn part(&mut self) -> Option<Bracket> {
        let inside = self.inside()?;
        if inside == Bracket::Plain {
            let at = self.depth - 1;
            // What a function is given first is what it makes a value of.
            self.around[at] = match self.signs[at] {
                b'(' => Bracket::Rest,
                _ => Bracket::Other,
            };
        }
        Some(inside)
    }

    /// Goes on behind the innermost; the sign that opened them.
    pub(super) fn leave(&mut self) -> Option<u8> {
        self.depth = self.depth.checked_sub(1)?;
        Some(self.signs[self.depth])
    }
}

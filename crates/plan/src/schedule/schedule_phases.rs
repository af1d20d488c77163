use super::Halt;

/// A schedule's phases. The `finally` steps run after all main steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Main,
    Finally,
}

impl Phase {
    fn index(self) -> usize {
        match self {
            Self::Main => 0,
            Self::Finally => 1,
        }
    }
}

/// A schedule's progress through its two phases.
#[derive(Debug, Clone)]
pub(super) struct Phases {
    current: Phase,
    halt: Option<Halt>,
    /// Number of nodes in each phase that may still start or finish.
    open: [usize; 2],
    /// Number of running nodes in each phase.
    running: [usize; 2],
    /// True for each phase in which we've closed the nodes stopped by a halt.
    swept: [bool; 2],
}

impl Phases {
    pub(super) fn new() -> Self {
        Self {
            current: Phase::Main,
            halt: None,
            open: [0, 0],
            running: [0, 0],
            swept: [false, false],
        }
    }

    /// Returns the initial state, but keeps the halt.
    pub(super) fn restarted(&self) -> Self {
        Self {
            halt: self.halt,
            ..Self::new()
        }
    }

    pub(super) fn current(&self) -> Phase {
        self.current
    }

    pub(super) fn begin_finally(&mut self) {
        self.current = Phase::Finally;
    }

    pub(super) fn halt(&self) -> Option<Halt> {
        self.halt
    }

    /// Records a halt, unless a more severe one is already in effect.
    pub(super) fn halted(&mut self, halt: Halt) {
        self.halt = self.halt.max(Some(halt));
    }

    /// Returns true if nothing in `phase` may start.
    pub(super) fn halts(&self, phase: Phase) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(Halt::FailFast | Halt::Cancel) => phase == Phase::Main,
        }
    }

    /// Returns true if the nodes stopped by a halt must be closed in the current phase. Does so
    /// only once per phase, until [`Phases::sweep_again`] is called.
    pub(super) fn sweeps(&mut self) -> bool {
        let swept = self.swept[self.current.index()];
        let sweeps = !swept && self.halts(self.current);
        self.swept[self.current.index()] = swept || sweeps;
        sweeps
    }

    /// Requests another sweep, because nodes were added or are waiting again.
    pub(super) fn sweep_again(&mut self) {
        self.swept = [false, false];
    }

    /// Returns true if the current phase has no open or running nodes.
    pub(super) fn is_over(&self) -> bool {
        let at = self.current.index();
        self.open[at] == 0 && self.running[at] == 0
    }

    pub(super) fn opened(&mut self, phase: Phase) {
        self.open[phase.index()] += 1;
    }

    pub(super) fn closed(&mut self, phase: Phase) {
        self.open[phase.index()] -= 1;
    }

    pub(super) fn started(&mut self, phase: Phase) {
        self.running[phase.index()] += 1;
    }

    pub(super) fn stopped(&mut self, phase: Phase) {
        self.running[phase.index()] -= 1;
    }
}

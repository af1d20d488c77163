use super::Halt;

/// The two parts of a run: the `finally` steps only start when no main step is left.
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

/// The progress of a schedule through its two phases.
#[derive(Debug, Clone)]
pub(super) struct Phases {
    current: Phase,
    halt: Option<Halt>,
    /// The number of unfinished nodes in each phase.
    open: [usize; 2],
    /// The number of running nodes in each phase.
    ///
    /// A node may be closed while its attempt is still running.
    running: [usize; 2],
    /// For each phase, true once we have closed the nodes that a halt keeps from starting.
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

    /// The initial state, except that a halt remains in effect.
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

    /// Records a halt. Only a more severe one changes anything.
    pub(super) fn halted(&mut self, halt: Halt) {
        self.halt = self.halt.max(Some(halt));
    }

    pub(super) fn halts(&self, phase: Phase) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(Halt::FailFast | Halt::Cancel) => phase == Phase::Main,
        }
    }

    /// True if we have to close the nodes that a halt keeps from starting in the current phase.
    ///
    /// This is only true once per phase, unless [`Phases::sweep_again`] is called.
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

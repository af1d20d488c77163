use super::Halt;

/// Part of a plan.
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

/// Phase of a schedule: first the steps, then the `finally` steps.
#[derive(Debug, Clone)]
pub(super) struct Phases {
    current: Phase,
    halt: Option<Halt>,
    /// Nodes that may still start or finish, by phase.
    open: [usize; 2],
    /// Nodes that are being worked on, by phase.
    running: [usize; 2],
    /// Phases in which everything that a halt keeps from starting was closed already.
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

    /// The same halt, at the beginning again, with nothing counted.
    pub(super) fn anew(&self) -> Self {
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

    /// Takes in a halt; an earlier one that goes further stays.
    pub(super) fn halted(&mut self, halt: Halt) {
        self.halt = self.halt.max(Some(halt));
    }

    /// True if nothing of `phase` may start any more.
    pub(super) fn halts(&self, phase: Phase) -> bool {
        match self.halt {
            None => false,
            Some(Halt::Kill) => true,
            Some(Halt::FailFast | Halt::Cancel) => phase == Phase::Main,
        }
    }

    /// True if what a halt keeps from starting is to be closed in the current phase: once, until more may start.
    pub(super) fn sweeps(&mut self) -> bool {
        let swept = self.swept[self.current.index()];
        let sweeps = !swept && self.halts(self.current);
        self.swept[self.current.index()] = swept || sweeps;
        sweeps
    }

    /// Notes that there are new nodes, or old ones that wait again, among those that a halt closes.
    pub(super) fn sweep_again(&mut self) {
        self.swept = [false, false];
    }

    /// True if the current phase has nothing left to do.
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

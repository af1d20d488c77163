use std::fmt;

use crate::Shape;

/// What a document holds: exactly one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Container {
    /// Work to be done now or soon.
    TodoList,
    /// How to go about something.
    Plan,
    /// What was learned over time.
    Playbook,
}

impl Container {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::TodoList, Self::Plan, Self::Playbook];

    /// The field of the document it stands in.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::TodoList => "todoList",
            Self::Plan => "plan",
            Self::Playbook => "playbook",
        }
    }

    /// What the specification says of it.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        Shape::of(match self {
            Self::TodoList => "TodoList",
            Self::Plan => "Plan",
            Self::Playbook => "Playbook",
        })
    }

    /// The type of a link to such a document.
    #[must_use]
    pub fn link_type(self) -> &'static str {
        match self {
            Self::TodoList => "x-vcontext/todoList",
            Self::Plan => "x-vcontext/plan",
            Self::Playbook => "x-vcontext/playbook",
        }
    }
}

impl fmt::Display for Container {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shape().name)
    }
}

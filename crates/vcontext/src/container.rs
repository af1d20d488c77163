use std::fmt;

use crate::Shape;

/// The topic of a document. Each document has exactly one container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Container {
    /// Work to do now or soon.
    TodoList,
    /// The approach to a larger task.
    Plan,
    /// Experience collected over time.
    Playbook,
}

impl Container {
    /// All containers, in declaration order.
    pub const ALL: [Self; 3] = [Self::TodoList, Self::Plan, Self::Playbook];

    /// The field of a document that has the container, e.g. `todoList`.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::TodoList => "todoList",
            Self::Plan => "plan",
            Self::Playbook => "playbook",
        }
    }

    /// The name of the container's entity in the specification, e.g. `TodoList`.
    #[must_use]
    pub fn entity(self) -> &'static str {
        match self {
            Self::TodoList => "TodoList",
            Self::Plan => "Plan",
            Self::Playbook => "Playbook",
        }
    }

    /// The container's entity in version 0.4.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        Shape::of(self.entity())
    }

    /// The type of links to a document with this container, e.g. `x-vcontext/plan`.
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

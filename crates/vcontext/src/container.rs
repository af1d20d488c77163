use std::fmt;

use crate::Shape;

/// The container of a document. Each document has exactly one.
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
    /// All containers.
    pub const ALL: [Self; 3] = [Self::TodoList, Self::Plan, Self::Playbook];

    /// Returns the document field that holds the container.
    #[must_use]
    pub fn field(self) -> &'static str {
        match self {
            Self::TodoList => "todoList",
            Self::Plan => "plan",
            Self::Playbook => "playbook",
        }
    }

    /// Returns the name of the container's entity.
    #[must_use]
    pub fn entity(self) -> &'static str {
        match self {
            Self::TodoList => "TodoList",
            Self::Plan => "Plan",
            Self::Playbook => "Playbook",
        }
    }

    /// Returns the container's entity in version 0.4.
    #[must_use]
    pub fn shape(self) -> &'static Shape {
        Shape::of(self.entity())
    }

    /// Returns the type of links to such a document.
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

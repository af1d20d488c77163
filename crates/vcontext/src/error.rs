use crate::Container;

/// Why something cannot be done with a document.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// It holds something else.
    #[error("`{name}` holds {}, not a {wanted}", found.map_or_else(|| "no container, or several".to_owned(), |found| format!("a {found}")))]
    OtherContainer {
        /// The document.
        name: String,
        /// What it should hold.
        wanted: Container,
        /// What it holds.
        found: Option<Container>,
    },
    /// Something in it is not as it should be.
    #[error("`{name}` is not valid: {message}; `windlass doc check {name}` says where")]
    Invalid {
        /// The document.
        name: String,
        /// What is wrong.
        message: String,
    },
}

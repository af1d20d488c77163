//! Takes prose and code apart into the words by which they are compared.
//!
//! Whatever answers a question in words (a search for places, recall of the memory, the files of a context pack) takes texts
//! apart in the same way, so that `parseHTTPRequest`, `parse_http_request` and "parsing of HTTP requests" meet. A name is
//! there as a whole as well as in its parts, a version or a date is one word, English words lose their endings, scripts without blanks give pairs of letters.
//! Text is compared in its composed Unicode form.
//! What may be a word miswritten is told as well: the words that are a slip away, and whether it is an English word by itself.
//!
//! It knows nothing of where a text comes from, and must never read a file: what may be shown is decided before.

mod common;
mod composed;
mod english;
mod numbers;
mod parts;
mod paths;
mod spelling;
mod terms;

pub use common::{is_common, is_grammar, is_stop_word};
pub use composed::{composed, folded, other_form};
pub use english::is_english;
pub use parts::{each_part, parts_of, words_of};
pub use paths::{each_file_name, each_path, is_file_name};
pub use spelling::{Slip, each_slip, slips_between};
pub use terms::{MAX_WORD, Term, TermKind, each_term, each_term_but, stem};

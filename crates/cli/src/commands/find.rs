//! Finds the places that answer a question (`windlass find`).

use std::path::Path;

use windlass::base::{Cancel, counted};
use windlass::packs::harmless;
use windlass::{FindRequest, Skipped};

use super::given_paths::places;
use super::{Ended, print_data};
use crate::args::{FindArgs, OutputFormat};
use crate::exit::Exit;
use crate::outside::workspace;
use crate::screen::Screen;

pub(crate) fn run(root: Option<&Path>, args: &FindArgs, screen: &Screen) -> Ended {
    let workspace = workspace(root)?;
    let request = FindRequest {
        question: args.question.join(" "),
        max_tokens: args.max_tokens,
        paths: places(&workspace, &args.paths)?,
    };
    let found = workspace.find(&request, &Cancel::default())?;
    if args.format() != OutputFormat::Text {
        print_data(screen, args.format(), &found)?;
        return Ok(Exit::Done);
    }
    for place in &found.places {
        screen.print(&harmless(&place.printed()));
    }
    if found.left_out > 0 {
        let left = counted(found.left_out, "more place");
        screen.say(&format!(
            "{left} did not fit; raise `--max-tokens N` to see more"
        ));
    }
    if found.places.is_empty() {
        let read = counted(found.files_read, "file");
        let why = match &found.nearest {
            Some(place) => {
                format!("no place matches enough of the question; the nearest is {place}")
            }
            None if found.left_out > 0 => "no place fits the budget".to_owned(),
            None => "no file contains a word of the question".to_owned(),
        };
        screen.say(&harmless(&format!("{why}; {read} read")));
    }
    let skipped = Skipped {
        // Nearly every repository has pictures. Only mention them if one of them may have the
        // answer.
        not_text: match found.places.is_empty() {
            true => found.skipped.not_text,
            false => 0,
        },
        ..found.skipped
    };
    if let Some(skipped) = skipped.in_words() {
        screen.say(&skipped);
    }
    Ok(Exit::Done)
}

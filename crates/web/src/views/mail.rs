use serde::Serialize;
use windlass::Error;
use windlass::ledger::Message;

use crate::paging::{Pages, ROWS};
use crate::view::{View, Visit};

#[derive(Serialize)]
pub(crate) struct Mail {
    messages: Vec<Message>,
    pages: Pages,
}

impl View for Mail {
    const TEMPLATE: &'static str = "mail.html";
    const FOLLOWS: &'static str = "work";
    const PARAMETERS: &'static [&'static str] = &["page"];

    fn title(&self) -> String {
        "Mail".to_owned()
    }
}

pub(crate) fn mail(visit: &Visit<'_>) -> Result<Mail, Error> {
    visit.read_ledger(|session| {
        let messages = session.mail().newest(visit.query.skip() + ROWS);
        let total = session.state().messages.count();
        Ok(Mail {
            pages: visit.query.pages(total),
            messages: visit.query.rows(messages),
        })
    })
}

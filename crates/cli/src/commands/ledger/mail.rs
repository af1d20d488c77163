use windlass::NewMail;
use windlass::packs::harmless_line;

use super::{Failure, print_data};
use crate::args::{MailCommand, MailInboxArgs, MailReadArgs, MailSendArgs, OutputFormat};
use crate::commands::desk::{Desk, text_of};
use crate::exit::Exit;
use windlass_render::{inbox_text, mail_sent, mail_text};

pub(crate) fn run(desk: &Desk<'_>, command: MailCommand) -> Result<Exit, Failure> {
    match command {
        MailCommand::Send(args) => send(desk, args),
        MailCommand::Inbox(args) => inbox(desk, &args),
        MailCommand::Read(args) => read(desk, &args),
    }
}

fn send(desk: &Desk<'_>, args: MailSendArgs) -> Result<Exit, Failure> {
    let mail = NewMail {
        to: args.to,
        subject: args.subject,
        body: text_of(args.body)?,
        message_type: args.message_type,
        priority: args.priority,
        bead: args.bead,
        mol: args.mol,
    };
    desk.with("mail send", |ledger| {
        let message = ledger.mail().send(&mail)?;
        match args.format {
            OutputFormat::Text => {
                desk.screen
                    .print(&format!("{}\n", harmless_line(&mail_sent(&message))));
            }
            format => print_data(desk.screen, format, &message)?,
        }
        Ok(Exit::Done)
    })
}

fn inbox(desk: &Desk<'_>, args: &MailInboxArgs) -> Result<Exit, Failure> {
    let limit = if args.limit == 0 {
        usize::MAX
    } else {
        args.limit
    };
    desk.with("mail inbox", |ledger| {
        let inbox = ledger
            .mail()
            .inbox(args.recipient.as_deref(), args.all, limit)?;
        match args.format {
            OutputFormat::Text => {
                desk.screen.print(&inbox_text(&inbox.messages));
                if inbox.total == 0 {
                    desk.screen.say(&format!(
                        "{} has no message that was not read",
                        inbox.recipient
                    ));
                } else if inbox.total > inbox.messages.len() {
                    let more = inbox.total - inbox.messages.len();
                    desk.screen
                        .say(&format!("… {more} more; `--limit 0` names all"));
                }
            }
            format => print_data(desk.screen, format, &inbox)?,
        }
        Ok(Exit::Done)
    })
}

fn read(desk: &Desk<'_>, args: &MailReadArgs) -> Result<Exit, Failure> {
    desk.with("mail read", |ledger| {
        let message = ledger.mail().read(&args.id, args.peek)?;
        match args.format {
            OutputFormat::Text => desk.screen.print(&mail_text(&message)),
            format => print_data(desk.screen, format, &message)?,
        }
        Ok(Exit::Done)
    })
}

//! Form actions, the only requests that change anything.
//!
//! Besides passing the checks of every request, a form has to contain this server's form token. A
//! page of another server can't know the token. Each action redirects to a page with its result.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Form as Body, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{MethodRouter, post};
use http::{HeaderMap, StatusCode, Uri};
use windlass::memory::{NewFeedback, Outcome};
use windlass::{Error, GateAnswer, StepReport, StepWork, Workspace};

use crate::app::App;
use crate::escape::segment;
use crate::paging::invalid;
use crate::reply::{Address, problem, refusal};

type Given = BTreeMap<String, String>;

/// Prefix of the form fields with a gate's inputs: `input.version` is the input `version`.
const INPUT: &str = "input.";

pub(crate) fn answer_gate(
    workspace: &Workspace,
    actor: Option<&str>,
    given: &Given,
) -> Result<String, Error> {
    let comment = given.text("comment");
    let answer = match given.text("answer") {
        "approve" => GateAnswer::Approve {
            inputs: given.inputs(),
            comment: comment.to_owned(),
        },
        "reject" if comment.is_empty() => {
            return Err(invalid("a rejection needs a comment"));
        }
        "reject" => GateAnswer::Reject(comment.to_owned()),
        other => {
            return Err(invalid(&format!(
                "`{other}` is not an answer: `approve` or `reject`"
            )));
        }
    };
    let gate = given
        .text("gate")
        .parse()
        .map_err(|_| invalid("the gate has no number"))?;
    let (mol, step) = (given.text("molecule"), given.text("step"));
    on_steps(workspace, actor, |steps| {
        steps.answer_gate(mol, step, Some(gate), &answer)
    })?;
    Ok(molecule_page(mol))
}

/// Releases a claim, even if another actor holds it. A reason is required.
pub(crate) fn release(
    workspace: &Workspace,
    actor: Option<&str>,
    given: &Given,
) -> Result<String, Error> {
    let (mol, step) = (given.text("molecule"), given.text("step"));
    let reason = given.text("reason");
    if reason.is_empty() {
        return Err(invalid("a release needs a reason"));
    }
    on_steps(workspace, actor, |steps| {
        steps.release_held(mol, step, reason)
    })?;
    Ok(molecule_page(mol))
}

/// Records feedback on a recalled record, and goes back to the search.
pub(crate) fn feedback(
    workspace: &Workspace,
    _: Option<&str>,
    given: &Given,
) -> Result<String, Error> {
    let word = given.text("outcome");
    let outcome =
        Outcome::from_word(word).ok_or_else(|| invalid(&format!("`{word}` is not an outcome")))?;
    let query = given.text("query").to_owned();
    let about = Some(given.text("id").to_owned()).filter(|id| !id.is_empty());
    let feedback = NewFeedback {
        query: query.clone(),
        outcome,
        id: about,
        note: None,
    };
    workspace.memory().give_memory_feedback(&feedback, false)?;
    let query = form_urlencoded::Serializer::new(String::new())
        .append_pair("q", &query)
        .append_pair("noted", word)
        .finish();
    Ok(format!("/memory?{query}"))
}

/// Makes a change as the server's actor, and returns the page to redirect to.
type Action = fn(&Workspace, Option<&str>, &Given) -> Result<String, Error>;

/// Routes the requests of a form to `work`.
pub(crate) fn action(work: Action) -> MethodRouter<Arc<App>> {
    post(
        move |State(app), uri: Uri, headers: HeaderMap, Body(given)| async move {
            act(app, Address::of(uri.path(), &headers), given, work).await
        },
    )
}

/// Runs `work`, after a check that actions are allowed and that the form contains the token.
async fn act(app: Arc<App>, address: Address, given: Given, work: Action) -> Response {
    if !app.settings.allow_actions {
        let help = "restart with `windlass web --allow-actions`".to_owned();
        let why = "this server changes nothing";
        return refusal(&app, &address, StatusCode::FORBIDDEN, why, Some(help));
    }
    if !app.expected_form_token.is(given.text("token").as_bytes()) {
        let help = "open the page again and repeat the action".to_owned();
        let why = "the form is not from this server, or is older than it";
        return refusal(&app, &address, StatusCode::FORBIDDEN, why, Some(help));
    }
    let done = tokio::task::spawn_blocking(move || {
        let done = (app.settings.open_for_action)()
            .and_then(|workspace| work(&workspace, app.settings.actor.as_deref(), &given));
        match done {
            Ok(page) => Redirect::to(&page).into_response(),
            Err(error) => problem(&app, &address, &error),
        }
    });
    done.await.unwrap_or_else(|error| {
        tracing::debug!(%error, "an action was not finished");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

fn on_steps(
    workspace: &Workspace,
    actor: Option<&str>,
    work: impl FnOnce(&mut StepWork<'_>) -> Result<StepReport, Error>,
) -> Result<(), Error> {
    let service = workspace.molecules();
    let mut session = service.ledger().open(actor, "web")?;
    let done = work(&mut service.steps(&mut session));
    session.finish()?;
    done.map(drop)
}

fn molecule_page(mol: &str) -> String {
    format!("/work/molecules/{}", segment(mol))
}

trait Fields {
    /// Returns a value without surrounding white space, or an empty text for a missing value.
    fn text(&self, name: &str) -> &str;

    /// Collects the inputs for a gate, leaving out empty ones.
    fn inputs(&self) -> BTreeMap<String, String>;
}

impl Fields for Given {
    fn text(&self, name: &str) -> &str {
        self.get(name).map_or("", |value| value.trim())
    }

    fn inputs(&self) -> BTreeMap<String, String> {
        let inputs = self.iter().filter(|(_, value)| !value.trim().is_empty());
        let inputs = inputs.filter_map(|(name, value)| Some((name.strip_prefix(INPUT)?, value)));
        inputs
            .map(|(name, value)| (name.to_owned(), value.clone()))
            .collect()
    }
}

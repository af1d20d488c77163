//! Turns a view into a page or JSON. All text of a view passes through here and gets redacted and
//! escaped.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::{Path, Query as RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get};
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, IF_NONE_MATCH, VARY};
use http::{HeaderMap, StatusCode, Uri};
use minijinja::value::Serde;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::Semaphore;
use windlass::packs::{harmless, redacted_json};
use windlass::{Error, ErrorKind, StoredData};

use crate::app::App;
use crate::page_parts::PageParts;
use crate::paging::Query;
use crate::view::{Load, View, Visit};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Html,
    Json,
}

impl Form {
    /// Decides by the `Accept` header: JSON if the client lists it before HTML, and a page
    /// otherwise. Weights (`q=`) are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(ACCEPT).iter();
        let accepted = accepted.filter_map(|value| value.to_str().ok());
        let kinds = accepted.flat_map(|value| value.split(','));
        for kind in kinds.map(|kind| kind.split(';').next().unwrap_or_default().trim()) {
            match kind {
                "application/json" => return Self::Json,
                "text/html" | "application/xhtml+xml" => return Self::Html,
                _ => {}
            }
        }
        Self::Html
    }
}

/// Header by which a client accepts changes instead of a page (RFC 3229).
const ACCEPTS_CHANGES: HeaderName = HeaderName::from_static("a-im");

/// Header of a response with changes only.
const CHANGES: HeaderName = HeaderName::from_static("im");

/// Name of our encoding of changes: a JSON array of elements. Each of them replaces the element
/// with the same ID.
const PARTS: &str = "parts";

pub(crate) struct Address {
    pub(crate) path: String,
    pub(crate) query: Query,
    pub(crate) names: BTreeMap<String, String>,
    pub(crate) form: Form,
    held: Option<String>,
    /// True if the client accepts the changes since the version `held`.
    takes_parts: bool,
}

impl Address {
    /// Makes an address without values after `?` and in the path.
    pub(crate) fn of(path: &str, headers: &HeaderMap) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        Self {
            path: path.to_owned(),
            query: Query::default(),
            names: BTreeMap::new(),
            form: Form::of(headers),
            held: text(IF_NONE_MATCH).map(|held| held.trim_matches('"').to_owned()),
            takes_parts: text(ACCEPTS_CHANGES) == Some(PARTS),
        }
    }
}

#[derive(Serialize)]
struct Frame<'a> {
    title: String,
    repository: &'a str,
    path: &'a str,
    follows: &'a str,
    version: &'a str,
    /// The actor of actions, for the footer. `None` on a read-only server.
    actor: Option<&'a str>,
    /// The form token. On a read-only server, it's empty, and pages offer no actions.
    token: &'a str,
    warnings: Vec<String>,
}

pub(crate) fn page<V: View + 'static>(load: Load<V>) -> MethodRouter<Arc<App>> {
    get(
        move |State(app): State<Arc<App>>,
              names: Option<Path<BTreeMap<String, String>>>,
              RawQuery(query): RawQuery<BTreeMap<String, String>>,
              uri: Uri,
              headers: HeaderMap| async move {
            let address = Address {
                query: Query(query),
                names: names.map(|Path(names)| names).unwrap_or_default(),
                ..Address::of(uri.path(), &headers)
            };
            show(app, address, load).await
        },
    )
}

/// Loads and renders a view on another thread. Other connections are still served meanwhile.
async fn show<V: View + 'static>(app: Arc<App>, address: Address, load: Load<V>) -> Response {
    let places = Arc::clone(&app.places);
    work_at_a_place(places, move || answer(&app, &address, load)).await
}

/// Runs `work` on another thread once a place is free.
///
/// If the client leaves, the work goes on and keeps its place. Otherwise, a client could start any
/// amount of work by reloading a page.
async fn work_at_a_place(
    places: Arc<Semaphore>,
    work: impl FnOnce() -> Response + Send + 'static,
) -> Response {
    let Ok(place) = places.acquire_owned().await else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let work = tokio::task::spawn_blocking(move || {
        let _place = place;
        work()
    });
    work.await.unwrap_or_else(|error| {
        tracing::debug!(%error, "a page was not finished");
        StatusCode::INTERNAL_SERVER_ERROR.into_response()
    })
}

fn answer<V: View>(app: &App, address: &Address, load: Load<V>) -> Response {
    let made = (app.settings.open)().and_then(|workspace| {
        address.query.check(V::PARAMETERS)?;
        let visit = Visit {
            app,
            workspace,
            query: address.query.clone(),
            names: address.names.clone(),
        };
        let site = visit.workspace.site();
        let rests_on_files = V::FOLLOWS.contains(StoredData::Evidence.as_str());
        // While the page is open, it wants to know if one of the files changes that we read for it.
        if rests_on_files {
            site.files().record_reads();
        }
        let view = load(&visit)?;
        if rests_on_files {
            let root = site.repo().root();
            let files = site.files().recorded_reads();
            let files = files.iter().map(|file| root.join(file.as_str()));
            app.live.follow(&address.path, files.collect());
        }
        rendered(app, address, &view, &site.take_troubles())
    });
    match made {
        Ok(page) => versioned(app, address, page),
        Err(error) => problem(app, address, &error),
    }
}

/// Answers with the whole page, or just with the changes since the client's version. If there are
/// none, the response is empty.
fn versioned(app: &App, address: &Address, page: PageParts) -> Response {
    let version = page.version();
    let etag = (ETAG, format!("\"{version}\""));
    let held = address.held.as_deref();
    if held == Some(&version) {
        return (StatusCode::NOT_MODIFIED, [etag]).into_response();
    }
    let takes_parts = address.form == Form::Html && address.takes_parts;
    // Even if this client doesn't take changes, remember the version for others.
    let changes = match address.form {
        Form::Html => app.versions.changes(&page, held),
        Form::Json => None,
    };
    match changes.filter(|_| takes_parts) {
        Some(changes) => {
            let im = [(CHANGES, PARTS)];
            let changes = serde_json::Value::from(changes).to_string();
            (
                [etag],
                im,
                respond(StatusCode::IM_USED, Form::Json, changes),
            )
                .into_response()
        }
        None => ([etag], respond(StatusCode::OK, address.form, page.text)).into_response(),
    }
}

/// Renders a view. Its text is redacted once, and the template or JSON then escapes it.
fn rendered<V: View>(
    app: &App,
    address: &Address,
    view: &V,
    warnings: &[String],
) -> Result<PageParts, Error> {
    let json = redacted_json(view).map_err(Error::internal)?;
    if address.form == Form::Json {
        return Ok(PageParts::whole(json + "\n"));
    }
    let value: Value = serde_json::from_str(&json).map_err(Error::internal)?;
    let settings = &app.settings;
    let frame = Frame {
        title: harmless(&view.title()),
        repository: &app.repository,
        path: &address.path,
        follows: V::FOLLOWS,
        version: &app.version,
        actor: settings.actor.as_deref().filter(|_| settings.allow_actions),
        token: if settings.allow_actions {
            &app.form_token
        } else {
            ""
        },
        warnings: warnings.iter().map(|text| harmless(text)).collect(),
    };
    let template = app.templates.get_template(V::TEMPLATE);
    let template = template.map_err(Error::internal)?;
    let query = address.query.0.iter();
    let query: BTreeMap<&String, String> =
        query.map(|(name, value)| (name, harmless(value))).collect();
    let values = serde_json::json!({ "v": value, "page": frame, "query": query });
    let values = minijinja::context! { parts_of => Serde(view.parts()), ..minijinja::Value::from(Serde(values)) };
    let text = template.render(values).map_err(Error::internal)?;
    Ok(PageParts::of(&text))
}

#[derive(Serialize)]
struct Problem {
    status: u16,
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

impl View for Problem {
    const TEMPLATE: &'static str = "problem.html";
    const FOLLOWS: &'static str = "";

    fn title(&self) -> String {
        match self.status {
            400 => "Invalid request".to_owned(),
            404 => "Not found".to_owned(),
            _ => "Error".to_owned(),
        }
    }
}

pub(crate) fn problem(app: &App, address: &Address, error: &Error) -> Response {
    let status = match error.kind() {
        ErrorKind::NotFound => StatusCode::NOT_FOUND,
        ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::Refused => StatusCode::FORBIDDEN,
        ErrorKind::Conflict => StatusCode::CONFLICT,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    };
    refusal(app, address, status, &error.to_string(), error.help())
}

/// Like [`problem`], but for an error without a type.
pub(crate) fn refusal(
    app: &App,
    address: &Address,
    status: StatusCode,
    message: &str,
    help: Option<String>,
) -> Response {
    let problem = Problem {
        status: status.as_u16(),
        error: message.to_owned(),
        help,
    };
    match rendered(app, address, &problem, &[]) {
        Ok(page) => respond(status, address.form, page.text),
        Err(error) => {
            tracing::debug!(%error, "a problem has no page");
            (status, format!("error: {}\n", harmless(message))).into_response()
        }
    }
}

fn respond(status: StatusCode, form: Form, text: String) -> Response {
    let kind = match form {
        Form::Html => "text/html; charset=utf-8",
        Form::Json => "application/json",
    };
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "no-store"),
        (VARY, "Accept"),
    ];
    (status, headers, text).into_response()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use http::HeaderValue;

    use super::*;

    #[tokio::test]
    async fn view_of_a_client_that_left_keeps_its_place() {
        let places = Arc::new(Semaphore::new(1));
        let (started, has_started) = tokio::sync::oneshot::channel();
        let (end, ends) = mpsc::channel::<()>();
        let view = tokio::spawn(work_at_a_place(Arc::clone(&places), move || {
            let _ = started.send(());
            let _ = ends.recv();
            StatusCode::OK.into_response()
        }));
        has_started.await.unwrap();
        view.abort();
        assert!(view.await.unwrap_err().is_cancelled());
        assert_eq!(places.available_permits(), 0);
        drop(end);
        assert!(places.acquire().await.is_ok());
    }

    #[test]
    fn form_follows_accept() {
        let form = |accept: &'static str| {
            Form::of(&HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static(accept),
            )]))
        };
        assert_eq!(form("application/json"), Form::Json);
        assert_eq!(form("text/html,application/json;q=0.9"), Form::Html);
        assert_eq!(form("application/json;q=1, text/html"), Form::Json);
        assert_eq!(form("*/*"), Form::Html);
        assert_eq!(Form::of(&HeaderMap::new()), Form::Html);
    }
}

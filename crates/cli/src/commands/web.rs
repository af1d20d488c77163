//! The address, the token and the browser of the web pages (`windlass web`).

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::net::TcpListener;
use windlass::engine::Stop;
use windlass::{Environment, Error, Workspace};
use windlass_web::{Door, EditorLink, Settings, Token, serve};

use super::command_context::interruptible;
use super::mcp::http::given_token;
use super::{Ended, Failure};
use crate::args::WebArgs;
use crate::exit::Exit;
use crate::outside::{environment, here};
use crate::screen::Screen;

const TOKEN: &str = "WINDLASS_WEB_TOKEN";

const ACTOR: &str = "BD_ACTOR";

pub(crate) fn run(
    root: Option<&Path>,
    actor: Option<&str>,
    args: &WebArgs,
    screen: &Screen,
) -> Ended {
    let token = given_token(args.token_file.as_deref(), TOKEN)?;
    let address = args.listen;
    // Other machines can reach this address. Without a token, anyone on the network could read the
    // repository.
    if !address.ip().is_loopback() && token.is_none() {
        return Err(Failure::Usage(format!(
            "`{address}` is reachable from other machines: serve `127.0.0.1:{}`, or give a token with `--token-file FILE` (traffic \
             is not encrypted)",
            address.port()
        )));
    }
    let editor = EditorLink::parse(&args.editor);
    let editor = editor.map_err(|why| Failure::Usage(format!("`--editor`: {why}")))?;
    let named = std::env::var(ACTOR).ok().filter(|name| !name.is_empty());
    let actor = actor.map(str::to_owned).or(named);
    if args.allow_actions && actor.is_none() {
        return Err(Failure::Usage(format!(
            "`--allow-actions` needs an actor name: pass `--actor NAME` or set `{ACTOR}`"
        )));
    }
    let (token, text) = token.unzip();
    let settings = Settings {
        open: Arc::new(opener(root, offline(without_names()))),
        open_for_action: Arc::new(opener(root, without_names())),
        actor,
        allow_actions: args.allow_actions,
        editor,
        door: door(token, &address.ip(), &args.public_host),
    };
    let served = interruptible(async |stop| Ok(serve_at(args, settings, text, stop, screen).await));
    served?.map(|()| Exit::Done)
}

/// Returns the admission policy of a server at `address`, which also answers to the host `names`.
pub(crate) fn door(token: Option<Token>, address: &IpAddr, names: &[String]) -> Door {
    let own = match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    let door = Door::new(token).with_host(&own);
    names.iter().fold(door, |door, name| door.with_host(name))
}

/// Returns a function that opens the repository again for each page.
///
/// If the environment names an actor, opening the ledger writes the events that are due. Pages only
/// read, so we don't want that, and callers pass [`without_names`].
fn opener(
    root: Option<&Path>,
    environment: Environment,
) -> impl Fn() -> Result<Workspace, Error> + Send + Sync + use<> {
    let (root, start) = (root.map(Path::to_owned), here());
    move || {
        let environment = environment.clone();
        let open = |root: &PathBuf| Workspace::open(&start.join(root), environment.clone());
        let opened = root.as_ref().map(open);
        let opened = opened.unwrap_or_else(|| Workspace::discover(&start, environment.clone()));
        Ok(opened?.with(|site| site.starting_nothing().confined()))
    }
}

/// Makes pages read the local replica of a shared ledger. Viewing a page must not connect to it,
/// because a connection can start programs.
fn offline(mut environment: Environment) -> Environment {
    let variables = Arc::make_mut(&mut environment.variables);
    variables.insert("WINDLASS_OFFLINE".to_owned(), "1".into());
    environment
}

fn without_names() -> Environment {
    let mut environment = environment();
    let variables = Arc::make_mut(&mut environment.variables);
    variables.remove(TOKEN);
    variables.remove(ACTOR);
    environment
}

async fn serve_at(
    args: &WebArgs,
    settings: Settings,
    token: Option<String>,
    stop: Stop,
    screen: &Screen,
) -> Result<(), Failure> {
    let listener = TcpListener::bind(args.listen).await;
    let listener = listener
        .map_err(|error| Failure::Usage(format!("cannot serve `{}`: {error}", args.listen)))?;
    let address = listener.local_addr().unwrap_or(args.listen);
    // An address with the token makes the server set a cookie, so the browser only needs it once.
    let query = token
        .map(|token| format!("?token={token}"))
        .unwrap_or_default();
    // Leave out the token here, or it would end up in every log of standard error.
    screen.complain_styled(&format!("serving http://{address}/"));
    if args.open
        && let Err(error) = open::that_detached(format!("http://{address}/{query}"))
    {
        screen.complain(&format!("warning: cannot open a browser: {error}"));
    }
    Ok(serve(settings, listener, stop).await?)
}

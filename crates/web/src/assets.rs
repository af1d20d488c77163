//! Style, script and icon of the pages.

use std::hash::Hasher as _;

use axum::response::{IntoResponse, Response};
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use windlass_render::PLAN_STYLE;

const STYLE: &str = include_str!("assets/web.css");
const SCRIPT: &str = include_str!("assets/windlass.js");
const ICON: &str = include_str!("assets/icon.svg");

/// A text for addresses that changes with the assets.
pub(crate) fn version() -> String {
    // `DefaultHasher::new` has fixed keys, so the same program always gives the same pages.
    let mut hasher = std::hash::DefaultHasher::new();
    for part in [windlass_page::STYLE, PLAN_STYLE, STYLE, SCRIPT, ICON] {
        hasher.write(part.as_bytes());
    }
    format!("{:08x}", hasher.finish() >> 32)
}

pub(crate) async fn style() -> Response {
    let text = [windlass_page::STYLE, PLAN_STYLE, STYLE].concat();
    asset("text/css; charset=utf-8", text)
}

pub(crate) async fn script() -> Response {
    asset("text/javascript; charset=utf-8", SCRIPT.to_owned())
}

pub(crate) async fn icon() -> Response {
    asset("image/svg+xml", ICON.to_owned())
}

fn asset(kind: &'static str, text: String) -> Response {
    let headers = [
        (CONTENT_TYPE, kind),
        (CACHE_CONTROL, "max-age=31536000, immutable"),
    ];
    (headers, text).into_response()
}

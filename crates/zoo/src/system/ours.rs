use windlass::packs::{harmless, redacted_json};
use windlass::{FindRequest, RecallFormat, RecallRequest};
use windlass_base::{Digest, Limit};
use windlass_memory::Level;

use super::{Answer, AnsweredPlace, Ask, System};

/// Maximum number of memory matches that we name without showing their text.
const MATCHES: usize = 5;

/// Windlass itself: `windlass find` for questions about files, and `windlass memory recall` for
/// questions about the memory.
#[derive(Debug, Clone, Copy)]
pub struct Ours;

impl System for Ours {
    fn name(&self) -> &str {
        crate::OURS
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        match ask.is_of_memory {
            true => recalled(ask),
            false => found(ask),
        }
    }
}

fn found(ask: &Ask<'_>) -> Result<Answer, String> {
    let request = FindRequest {
        question: ask.question.to_owned(),
        max_tokens: ask.budget as usize,
        paths: Vec::new(),
    };
    let found = ask
        .workspace
        .find(&request, ask.cancel)
        .map_err(|error| error.to_string())?;
    let data = redacted_json(&found).map_err(|error| error.to_string())?;
    let printed = found
        .places
        .iter()
        .map(windlass::FoundPlace::printed)
        .collect();
    let nearest = found.nearest.iter().map(|pointer| pointer.file.to_string());
    let nearest = nearest.collect();
    let places = found.places.into_iter().map(|place| AnsweredPlace {
        file: place.pointer.file.to_string(),
        span: place.pointer.span,
        score: f64::from(place.score),
    });
    Ok(Answer {
        places: places.collect(),
        nearest,
        confidence: Some(f64::from(found.confidence) / 100.0),
        printed: Some(printed),
        digest: Some(Digest::of_bytes(format!("{data}\n").as_bytes())),
        ..Answer::default()
    })
}

/// Asks the memory. Records whose text is loaded become locations, and other matches are only
/// named. If there is no answer, the matches are the nearest files.
fn recalled(ask: &Ask<'_>) -> Result<Answer, String> {
    let request = RecallRequest {
        query: ask.question.to_owned(),
        matches: MATCHES,
        explain: false,
        also: Vec::new(),
        limit: Some(Limit::Tokens(ask.budget as usize)),
        format: RecallFormat::Text,
    };
    let report = ask
        .workspace
        .memory()
        .recall(&request)
        .map_err(|error| error.to_string())?;
    let digest = Some(Digest::of_bytes(harmless(&report.printed).as_bytes()));
    let said = report.recollection;
    let confidence = Some(f64::from(said.confidence) / 1_000.0);
    let matches = said.matches.iter().filter_map(|one| one.evidence.first());
    let matches = matches.map(|pointer| pointer.file.to_string());
    if said.level == Level::None {
        return Ok(Answer {
            nearest: matches.collect(),
            confidence,
            printed: Some(report.printed),
            digest,
            ..Answer::default()
        });
    }
    let mut named: Vec<(String, f64)> = matches
        .zip((1..=MATCHES).rev().map(|rank| rank as f64))
        .collect();
    // The summary may be loaded as well, but it isn't a match.
    let score = |file: &str| {
        let own = named.iter().find(|(name, _)| name == file);
        own.map_or(0.0, |(_, score)| *score)
    };
    let loaded = said.loaded.into_iter().map(|loaded| AnsweredPlace {
        score: score(loaded.pointer.file.as_str()),
        file: loaded.pointer.file.to_string(),
        span: loaded.pointer.span,
    });
    let places: Vec<AnsweredPlace> = loaded.collect();
    named.retain(|(file, _)| !places.iter().any(|place| place.file == *file));
    Ok(Answer {
        places,
        named,
        nearest: Vec::new(),
        confidence,
        printed: Some(report.printed),
        digest,
    })
}

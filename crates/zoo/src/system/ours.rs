use windlass::{FindRequest, RecallFormat, RecallRequest};
use windlass_base::Limit;
use windlass_memory::Level;

use super::{Answer, AnsweredPlace, Ask, System};

/// Windlass: what `windlass find` answers; of the memory, `windlass memory recall`.
#[derive(Debug, Clone, Copy)]
pub struct Ours;

impl System for Ours {
    fn name(&self) -> &str {
        crate::OURS
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        if ask.is_of_memory {
            return recalled(ask);
        }
        let request = FindRequest {
            question: ask.question.to_owned(),
            max_tokens: ask.budget as usize,
            paths: Vec::new(),
        };
        let found = ask
            .workspace
            .find(&request, ask.cancel)
            .map_err(|error| error.to_string())?;
        let printed = found
            .places
            .iter()
            .map(windlass::FoundPlace::printed)
            .collect();
        let places = found.places.into_iter().map(|place| AnsweredPlace {
            file: place.pointer.file.to_string(),
            span: place.pointer.span,
            score: f64::from(place.score),
        });
        Ok(Answer {
            places: places.collect(),
            confidence: Some(f64::from(found.confidence) / 100.0),
            printed: Some(printed),
            ..Answer::default()
        })
    }
}

/// What is loaded is shown; other matches are named.
fn recalled(ask: &Ask<'_>) -> Result<Answer, String> {
    const MATCHES: usize = 5;
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
        .recall(&request)
        .map_err(|error| error.to_string())?;
    let said = report.recollection;
    let confidence = Some(f64::from(said.confidence) / 1_000.0);
    if said.level == Level::None {
        return Ok(Answer {
            confidence,
            printed: Some(report.printed),
            ..Answer::default()
        });
    }
    let matches = said.matches.iter().filter_map(|one| one.evidence.first());
    let mut named: Vec<(String, f64)> = matches
        .map(|pointer| pointer.file.to_string())
        .zip((1..=MATCHES).rev().map(|rank| rank as f64))
        .collect();
    // The summary comes with what matches, and is no match itself.
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
        confidence,
        printed: Some(report.printed),
    })
}

use windlass::FindRequest;
use windlass_base::Cancel;

use super::{Answer, AnsweredPlace, Ask, System};

/// Windlass: what `windlass find` answers.
#[derive(Debug, Clone, Copy)]
pub struct Ours;

impl System for Ours {
    fn name(&self) -> &str {
        crate::OURS
    }

    fn answer(&self, ask: &Ask<'_>) -> Result<Answer, String> {
        let request = FindRequest {
            question: ask.question.to_owned(),
            max_tokens: ask.budget as usize,
            paths: Vec::new(),
        };
        let found = ask
            .workspace
            .find(&request, &Cancel::default())
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
        })
    }
}

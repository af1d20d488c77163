use clap::Args as ClapArgs;

use super::{BudgetArgs, OutputFormat};

/// Format and budget of a list.
#[derive(Debug, ClapArgs)]
pub(crate) struct DocPageArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Continue output that was cut; the other arguments stay the same.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// Output format.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// Parses a number from 0 to `max`.
pub(super) fn within(text: &str, max: f64) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if (0.0..=max).contains(&number) => Ok(number),
        _ => Err(format!("must be a number from 0 to {max}")),
    }
}

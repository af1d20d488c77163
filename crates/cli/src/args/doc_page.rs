use clap::Args as ClapArgs;

use super::{BudgetArgs, OutputFormat};

/// How a list is printed, and how much of it.
#[derive(Debug, ClapArgs)]
pub(crate) struct DocPageArgs {
    #[command(flatten)]
    pub(crate) budget: BudgetArgs,
    /// Go on where the list was cut, with the same other arguments.
    #[arg(long, value_name = "CURSOR")]
    pub(crate) cursor: Option<String>,
    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: OutputFormat,
}

/// A number from 0 to `most`.
pub(super) fn within(text: &str, most: f64) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if (0.0..=most).contains(&number) => Ok(number),
        _ => Err(format!("it has to be a number from 0 to {most}")),
    }
}

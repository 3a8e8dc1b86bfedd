//! What a validation found: its cells and their summary.

use std::fmt;

use serde::Serialize;

use crate::cell::{Cell, Kind, figure};
use crate::statistics::{kendall_tau_b, median};

/// A set's cells and what they add up to. As JSON it is the document that `coretwin validate --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// The set's name.
    pub set: String,
    /// Its figures.
    pub cells: Vec<Cell>,
    /// What they add up to.
    pub summary: Summary,
    /// The same for parts of the set that have a bar of their own.
    pub groups: Vec<Group>,
    /// What there is to say about the whole: conditions met, tables discarded.
    pub notes: Vec<String>,
}

/// What a set's cells add up to. Held-out cells are those that no parameter was fitted on; figures about them are
/// missing (`null`) if there are none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many cells there are.
    pub cells: usize,
    /// How many have an error within their tolerance.
    pub inside: usize,
    /// The middle size of all errors.
    pub median_abs_error: Option<f64>,
    /// The greatest size of an error.
    pub worst_abs_error: Option<f64>,
    /// The middle size of the held-out cells' errors.
    pub held_out_median_abs_error: Option<f64>,
    /// The null model that the simulation has to beat.
    pub baseline: String,
    /// The middle size of the null model's errors on the held-out cells.
    pub baseline_held_out_error: Option<f64>,
    /// Kendall's tau-b between measured and simulated figures of the held-out cells.
    pub rank_agreement: Option<f64>,
    /// How many parameters were fitted.
    pub parameters_fitted: usize,
    /// On how many cells.
    pub cells_used_for_fit: usize,
}

/// A part of a set with a bar of its own.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Group {
    /// What its cells have in common.
    pub name: String,
    /// How many held-out cells there are.
    pub held_out_cells: usize,
    /// The middle size of their errors.
    pub held_out_median_abs_error: Option<f64>,
    /// The middle size of the null model's errors on them.
    pub baseline_held_out_error: Option<f64>,
    /// What the simulation's error may be; `null` if the group is only reported.
    pub allowed_error: Option<f64>,
    /// Whether it is that, where there is a bar.
    pub met: Option<bool>,
}

/// A cell together with what the null model says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The cell.
    pub cell: Cell,
    /// The null model's figure, if it has one.
    pub baseline: Option<f64>,
}

impl Judged {
    fn baseline_error(&self) -> Option<f64> {
        Some(self.cell.measured.error(self.cell.kind, self.baseline?).abs())
    }
}

impl Summary {
    /// Adds up cells; the profile they were simulated with has so many fitted parameters.
    pub fn of(cells: &[Judged], baseline: &str, parameters_fitted: usize) -> Self {
        let held_out: Vec<&Judged> = cells.iter().filter(|judged| !judged.cell.calibrated).collect();
        let errors: Vec<f64> = cells.iter().map(|judged| judged.cell.error.abs()).collect();
        Self {
            cells: cells.len(),
            inside: cells.iter().filter(|judged| judged.cell.inside).count(),
            median_abs_error: median(&errors),
            worst_abs_error: errors.iter().copied().max_by(f64::total_cmp),
            held_out_median_abs_error: median_abs_error(&held_out),
            baseline: baseline.to_owned(),
            baseline_held_out_error: baseline_error(&held_out),
            rank_agreement: rank_agreement(&held_out),
            parameters_fitted,
            cells_used_for_fit: cells.len() - held_out.len(),
        }
    }
}

impl Group {
    /// Adds up the held-out ones of these cells; `allowed` is the bar, if the group has one.
    pub fn of(name: &str, cells: &[Judged], allowed: Option<f64>) -> Self {
        let held_out: Vec<&Judged> = cells.iter().filter(|judged| !judged.cell.calibrated).collect();
        let error = median_abs_error(&held_out);
        Self {
            name: name.to_owned(),
            held_out_cells: held_out.len(),
            held_out_median_abs_error: error,
            baseline_held_out_error: baseline_error(&held_out),
            allowed_error: allowed,
            met: allowed.zip(error).map(|(allowed, error)| error <= allowed),
        }
    }
}

fn median_abs_error(cells: &[&Judged]) -> Option<f64> {
    median(&cells.iter().map(|judged| judged.cell.error.abs()).collect::<Vec<_>>())
}

fn baseline_error(cells: &[&Judged]) -> Option<f64> {
    median(&cells.iter().filter_map(|judged| judged.baseline_error()).collect::<Vec<_>>())
}

/// Over the cells that have one true value each.
fn rank_agreement(cells: &[&Judged]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = cells
        .iter()
        .map(|judged| &judged.cell)
        .filter(|cell| matches!(cell.kind, Kind::Value | Kind::Points))
        .map(|cell| (cell.measured.centre(), cell.simulated.median))
        .collect();
    kendall_tau_b(&pairs)
}

impl fmt::Display for Report {
    /// A table for people: measured beside simulated, then the summary.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.cells.iter().map(|cell| cell.id.len()).max().unwrap_or(0).max(4);
        writeln!(f, "{}", self.set)?;
        let mut unit = "";
        for cell in &self.cells {
            if cell.unit != unit {
                unit = &cell.unit;
                writeln!(
                    f,
                    "\n{:width$}  {:>17}  {:>9}  {:>19}  {:>8}",
                    unit, "measured", "simulated", "p10..p90", "error"
                )?;
            }
            let simulated = cell.simulated;
            writeln!(
                f,
                "{:width$}  {:>17}  {:>9}  {:>19}  {:>8}  {}{}{}",
                cell.id,
                cell.measured.to_string(),
                figure(simulated.median),
                format!("{}..{}", figure(simulated.p10), figure(simulated.p90)),
                error_text(cell.kind, cell.error),
                if cell.inside { "" } else { "outside " },
                if cell.calibrated { "fitted " } else { "" },
                cell.note,
            )?;
        }
        writeln!(f, "\n{}", self.summary)?;
        for group in &self.groups {
            writeln!(f, "{group}")?;
        }
        for note in &self.notes {
            writeln!(f, "Note: {note}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held_out = self.cells - self.cells_used_for_fit;
        writeln!(f, "{} of {} cells are within their tolerance.", self.inside, self.cells)?;
        writeln!(
            f,
            "{} parameters were fitted on {} cells; {held_out} cells were held out.",
            self.parameters_fitted, self.cells_used_for_fit
        )?;
        writeln!(f, "{:<28}{:>8}", "median error, all cells", percent(self.median_abs_error))?;
        writeln!(f, "{:<28}{:>8}", "worst error", percent(self.worst_abs_error))?;
        writeln!(f, "{:<28}{:>8}", "median error, held out", percent(self.held_out_median_abs_error))?;
        writeln!(f, "{:<28}{:>8}  ({})", "null model, held out", percent(self.baseline_held_out_error), self.baseline)?;
        let agreement = self.rank_agreement.map_or("-".to_owned(), |tau| format!("{tau:.2}"));
        write!(f, "{:<28}{agreement:>8}", "rank agreement, held out")
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {} on {} held-out cells, null model {}",
            self.name,
            percent(self.held_out_median_abs_error),
            self.held_out_cells,
            percent(self.baseline_held_out_error),
        )?;
        match (self.allowed_error, self.met) {
            (Some(_), Some(met)) => {
                let verdict = if met { "met" } else { "missed" };
                write!(f, ", allowed {}: {verdict}", percent(self.allowed_error))
            }
            _ => Ok(()),
        }
    }
}

fn error_text(kind: Kind, error: f64) -> String {
    match kind {
        Kind::Points => format!("{error:+.2} pt"),
        Kind::Category if error == 0.0 => "right".to_owned(),
        Kind::Category => "wrong".to_owned(),
        _ => format!("{:+.1} %", error * 100.0),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or("-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::{Interval, Simulated};

    fn judged(measured: f64, simulated: f64, calibrated: bool, baseline: f64) -> Judged {
        let measured = Interval { lo: measured, hi: measured };
        let error = measured.error(Kind::Value, simulated);
        let cell = Cell {
            id: format!("at {}", measured.lo),
            unit: "ns".into(),
            kind: Kind::Value,
            measured,
            simulated: Simulated { median: simulated, p10: simulated, p90: simulated },
            error,
            tolerance: 0.2,
            calibrated,
            inside: error.abs() <= 0.2,
            note: String::new(),
        };
        Judged { cell, baseline: Some(baseline) }
    }

    fn cells() -> Vec<Judged> {
        vec![
            judged(10.0, 10.0, true, 10.0),
            judged(100.0, 110.0, false, 150.0),
            judged(200.0, 150.0, false, 100.0),
            judged(400.0, 380.0, false, 400.0),
        ]
    }

    #[test]
    fn the_summary_keeps_held_out_cells_apart() {
        let summary = Summary::of(&cells(), "always 100", 2);
        assert_eq!((summary.cells, summary.inside, summary.cells_used_for_fit), (4, 3, 1));
        // Errors are 0, 0.1, -0.25 and -0.05; those of the null model on held-out cells 0.5, -0.5 and 0.
        assert!((summary.median_abs_error.unwrap() - 0.075).abs() < 1e-12);
        assert_eq!(summary.worst_abs_error, Some(0.25));
        assert_eq!(summary.held_out_median_abs_error, Some(0.1));
        assert_eq!(summary.baseline_held_out_error, Some(0.5));
        assert_eq!(summary.rank_agreement, Some(1.0));
        assert_eq!(Summary::of(&cells()[..1], "none", 0).held_out_median_abs_error, None);
    }

    #[test]
    fn a_group_is_held_against_its_bar() {
        assert_eq!(Group::of("rings", &cells(), Some(0.1)).met, Some(true));
        assert_eq!(Group::of("rings", &cells(), Some(0.09)).met, Some(false));
        assert_eq!(Group::of("rings", &cells(), None).met, None);
    }

    #[test]
    fn the_document_has_the_documented_fields() {
        let judged = cells();
        let report = Report {
            set: "example".into(),
            cells: judged.iter().take(1).map(|judged| judged.cell.clone()).collect(),
            summary: Summary::of(&judged[..1], "always 10", 1),
            groups: vec![],
            notes: vec![],
        };
        let expected = r#"{"set":"example","cells":[{"id":"at 10","unit":"ns","kind":"value","measured":[10.0,10.0],
            "simulated":{"median":10.0,"p10":10.0,"p90":10.0},"error":0.0,"tolerance":0.2,"calibrated":true,
            "inside":true,"note":""}],"summary":{"cells":1,"inside":1,"median_abs_error":0.0,"worst_abs_error":0.0,
            "held_out_median_abs_error":null,"baseline":"always 10","baseline_held_out_error":null,
            "rank_agreement":null,"parameters_fitted":1,"cells_used_for_fit":1},"groups":[],"notes":[]}"#;
        let expected: serde_json::Value = serde_json::from_str(expected).unwrap();
        assert_eq!(serde_json::to_value(&report).unwrap(), expected);
        assert!(report.to_string().contains("1 of 1 cells are within their tolerance."));
    }
}

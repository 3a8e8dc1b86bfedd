//! The report for people.

use std::fmt::{self, Display, Formatter};

use sim_core::Time;

use super::{Cpu, Report, Turn};
use crate::statistics::Estimate;

/// So many categories get a column of their own.
const CATEGORIES_SHOWN: usize = 7;
/// So many CPUs get a row of their own.
const CPUS_SHOWN: usize = 32;
/// So many objects are listed.
const LINES_SHOWN: usize = 10;

impl Display for Report {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.header(f)?;
        self.rates(f)?;
        self.categories(f)?;
        self.hottest(f)?;
        self.balance(f)?;
        self.defaults(f)
    }
}

impl Report {
    fn header(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let seeds = match (self.runs.first(), self.runs.last()) {
            (Some(first), Some(last)) if first.seed != last.seed => format!("seeds {} to {}", first.seed, last.seed),
            (Some(only), _) => format!("seed {}", only.seed),
            _ => "no runs".into(),
        };
        writeln!(f, "{}: {}", self.scenario.name, self.scenario.summary)?;
        writeln!(f, "machine {}, software {}", self.machine, self.software)?;
        let (duration, warm_up) = (Time::from_ps(self.duration_ps), Time::from_ps(self.warm_up_ps));
        writeln!(f, "{duration} measured after {warm_up} of warm-up, {seeds}")?;
        writeln!(f, "coretwin {}, scenario hash {}", self.version, self.scenario.hash)
    }

    fn rates(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nRate ({}): {}", self.operation, rate(&self.rate))?;
        if let [_, _, ..] = self.roles.as_slice() {
            for role in &self.roles {
                writeln!(f, "  {} x {}: {}", role.threads, role.name, rate(&role.rate))?;
            }
        }
        let worst = |of: fn(&Turn) -> u64| Time::from_ps(self.runs.iter().map(|run| of(&run.turn)).max().unwrap_or(0));
        let (median, p99, longest) = (worst(|t| t.median_ps), worst(|t| t.p99_ps), worst(|t| t.longest_ps));
        writeln!(f, "Turn of a thread's loop: median {median}, 99 % within {p99}, longest {longest}")
    }

    /// The cycle accounting: a legend with the dearest categories, then a row for each CPU.
    fn categories(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let shown = self.dearest_categories();
        writeln!(f, "\nWhere the CPUs spent their time, all together:")?;
        for (letter, (category, share)) in ('A'..).zip(&shown) {
            writeln!(f, "  {letter} {:>5.1} %  {category}", share * 100.0)?;
        }
        let other = 1.0 - shown.iter().map(|(_, share)| share).sum::<f64>();
        writeln!(f, "    {:>5.1} %  other categories", other.max(0.0) * 100.0)?;
        writeln!(f, "\nEach CPU, in %:")?;
        write!(f, "  {:>4}  {:<12} {:>10}", "cpu", "thread", "rate/s")?;
        for letter in ('A'..).take(shown.len()) {
            write!(f, " {letter:>5}")?;
        }
        writeln!(f, " other")?;
        for (cpu, thread) in self.cpus.iter().zip(&self.threads).take(CPUS_SHOWN) {
            write!(f, "  {:>4}  {:<12} {:>10}", cpu.cpu, cpu.thread, si(thread.rate.mean))?;
            row(f, cpu, &shown)?;
        }
        match self.cpus.len().checked_sub(CPUS_SHOWN) {
            None | Some(0) => Ok(()),
            Some(more) => writeln!(f, "  and {more} more CPUs; --json lists them all"),
        }
    }

    /// The categories that took most time over all CPUs, with their shares.
    fn dearest_categories(&self) -> Vec<(&str, f64)> {
        let mut sums: Vec<(&str, u64)> = Vec::new();
        for part in self.cpus.iter().flat_map(|cpu| &cpu.parts) {
            match sums.iter_mut().find(|(category, _)| *category == part.category) {
                Some((_, sum)) => *sum += part.time_ps,
                None => sums.push((&part.category, part.time_ps)),
            }
        }
        sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let total = sums.iter().map(|(_, sum)| sum).sum::<u64>().max(1) as f64;
        sums.truncate(CATEGORIES_SHOWN);
        sums.into_iter().map(|(category, sum)| (category, sum as f64 / total)).collect()
    }

    fn hottest(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.lines.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nHottest lines and locks, by time that CPUs stalled or spun on them:")?;
        writeln!(f, "  {:<24} {:>12} {:>10} {:>12}", "object", "stall", "of CPUs", "transfers")?;
        for line in self.lines.iter().take(LINES_SHOWN) {
            let stall = Time::from_ps(line.stall_ps).to_string();
            let share = format!("{:.1} %", line.share * 100.0);
            writeln!(f, "  {:<24} {stall:>12} {share:>10} {:>12}", line.name, line.transfers)?;
        }
        Ok(())
    }

    fn balance(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f)?;
        for run in &self.runs {
            let verdict = if run.balanced { "balanced" } else { "DOES NOT BALANCE" };
            write!(f, "Books of seed {}: {verdict}", run.seed)?;
            if run.entered > 0 {
                write!(f, "; {} in = {} out + {} inside", run.entered, run.left, run.inside)?;
            }
            writeln!(f, "; {} accesses", run.accesses)?;
        }
        Ok(())
    }

    fn defaults(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let taken: Vec<String> = self
            .settings
            .iter()
            .filter(|setting| setting.default)
            .map(|setting| format!("{}: {}", setting.path, setting.value))
            .collect();
        if taken.is_empty() {
            return Ok(());
        }
        writeln!(f, "\nDefaults taken:")?;
        taken.iter().try_for_each(|setting| writeln!(f, "  {setting}"))
    }
}

fn row(f: &mut Formatter<'_>, cpu: &Cpu, shown: &[(&str, f64)]) -> fmt::Result {
    let mut rest = 1.0;
    for (category, _) in shown {
        let share = cpu.parts.iter().find(|part| part.category == *category).map_or(0.0, |part| part.share);
        rest -= share;
        write!(f, " {:>5.1}", share * 100.0)?;
    }
    writeln!(f, " {:>5.1}", f64::max(rest, 0.0) * 100.0)
}

fn rate(estimate: &Estimate) -> String {
    let mean = si(estimate.mean);
    match estimate.half_width_95 {
        Some(half_width) => format!("{mean}/s ± {}/s (95 % confidence)", si(half_width)),
        None => format!("{mean}/s"),
    }
}

/// A number with four significant digits and the SI prefix that suits it.
fn si(value: f64) -> String {
    let prefixes = ["", " k", " M", " G", " T"];
    let (mut value, mut index) = (value, 0);
    while value >= 999.95 && index + 1 < prefixes.len() {
        value /= 1e3;
        index += 1;
    }
    let decimals = if value < 10.0 {
        3
    } else if value < 100.0 {
        2
    } else {
        1
    };
    format!("{value:.decimals$}{}", prefixes[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in
            [(0.0, "0.000"), (999.9, "999.9"), (999.96, "1.000 k"), (12_345.0, "12.35 k"), (1.5e15, "1500.0 T")]
        {
            assert_eq!(si(value), text);
        }
    }
}

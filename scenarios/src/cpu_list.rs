//! Lists of CPUs: `0-7,16`, `0-14:2`, or a YAML list of these.

use crate::checker::Complaint;

/// Reads a list of CPUs of a machine with `cpus` CPUs, in the order written. `0-14:2` is every second CPU.
pub(crate) fn parse(text: &str, cpus: u32) -> Result<Vec<u32>, Complaint> {
    let mut list = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (range, step) = part.split_once(':').map_or((part, "1"), |(range, step)| (range.trim(), step.trim()));
        let (first, last) = range.split_once('-').map_or((range, range), |(a, b)| (a.trim(), b.trim()));
        let [Some(first), Some(last), Some(step)] = [first, last, step].map(number) else {
            let problem = format!("`{part}` is not a CPU or a range of CPUs");
            return Err(Complaint::new(problem, "write for example `0-7`, `0,2,4` or `0-14:2` (every second)"));
        };
        if step == 0 || first > last {
            let help = format!("write `{}-{}`, with a step of at least 1", first.min(last), first.max(last));
            return Err(Complaint::new(format!("the range `{part}` has no CPUs"), help));
        }
        if last >= u64::from(cpus) {
            let problem = format!("CPU {last} is not on the machine");
            return Err(Complaint::new(problem, format!("it has the CPUs 0 to {}", cpus - 1)));
        }
        // Both ends are below `cpus`, so the numbers fit.
        list.extend((first..=last).step_by(step as usize).map(|cpu| cpu as u32));
        if list.len() > cpus as usize {
            return Err(Complaint::new("names a CPU twice", "name each CPU once"));
        }
    }
    Ok(list)
}

/// The shortest notation of a list of CPUs.
pub(crate) fn display(list: &[u32]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = list;
    while let [first, ..] = rest {
        let run = rest.iter().zip(*first..).take_while(|(cpu, expected)| **cpu == *expected).count();
        parts.push(if run == 1 { first.to_string() } else { format!("{first}-{}", rest[run - 1]) });
        rest = &rest[run..];
    }
    parts.join(",")
}

fn number(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order() {
        assert_eq!(parse("4, 0-2,9-15:3", 16), Ok(vec![4, 0, 1, 2, 9, 12, 15]));
        assert_eq!(parse("0-0", 1), Ok(vec![0]));
        assert_eq!(display(&[4, 0, 1, 2, 9, 12, 15]), "4,0-2,9,12,15");
        assert_eq!(display(&[]), "");
    }

    #[test]
    fn bad_lists_say_why() {
        for (text, phrase) in [
            ("0-16", "CPU 16 is not on the machine"),
            ("0-999999999", "CPU 999999999 is not on the machine"),
            ("7-0", "has no CPUs"),
            ("0-7:0", "has no CPUs"),
            ("", "not a CPU"),
            ("0-", "not a CPU"),
            ("-1", "not a CPU"),
            ("0,,1", "not a CPU"),
            ("a-b", "not a CPU"),
            ("99999999999999999999", "not a CPU"),
            ("0-15,0-15", "twice"),
        ] {
            let complaint = parse(text, 16).unwrap_err();
            assert!(complaint.problem.contains(phrase), "{text}: {complaint:?}");
        }
    }
}

//! The `layout` group of a scenario: which thread runs on which CPU.

use std::collections::BTreeSet;

use crate::benchmark::{THREADS_MAX, ThreadGroup};
use crate::checker::{Checker, Complaint};
use crate::cpu_list;
use crate::document::Value;

/// Reads the `layout` group for a machine with `cpus` CPUs: the CPU of each thread, group after group. A group that
/// is left out gets the lowest CPUs that no other group has. Nothing if it, or what it depends on, is wrong.
pub(crate) fn read(checker: &mut Checker<'_>, groups: Option<&[ThreadGroup]>, cpus: Option<u32>) -> Option<Vec<u32>> {
    checker.group("layout", "layout: { threads: \"0-7\" }");
    let Some(groups) = groups else {
        checker.leave_unchecked("layout");
        return None;
    };
    let mut taken = BTreeSet::new();
    let mut given = Vec::new();
    for group in groups {
        let path = format!("layout.{}", group.name);
        let list = read_list(checker, &path, cpus.unwrap_or(THREADS_MAX));
        if let (Some(list), Some(count)) = (&list, group.count) {
            check_list(checker, &path, group.counted_by, &list[..list.len().min(count as usize)], count, &mut taken);
        }
        given.push(list);
    }
    let cpus = cpus?;
    let counts = groups.iter().map(|group| group.count).collect::<Option<Vec<u32>>>()?;
    if !check_total(checker, groups, &counts, cpus) {
        return None;
    }
    let mut free = (0..cpus).filter(|cpu| !taken.contains(cpu));
    let mut placement = Vec::new();
    for ((group, list), count) in groups.iter().zip(given).zip(counts) {
        let default = list.is_none();
        let mut list = list.unwrap_or_else(|| free.by_ref().take(count as usize).collect());
        list.truncate(count as usize);
        checker.note(&format!("layout.{}", group.name), cpu_list::display(&list), default);
        placement.extend(list);
    }
    Some(placement)
}

/// Complains about more threads than CPUs at the field that asks for most of them.
fn check_total(checker: &mut Checker<'_>, groups: &[ThreadGroup], counts: &[u32], cpus: u32) -> bool {
    let total: u64 = counts.iter().map(|count| u64::from(*count)).sum();
    if total <= u64::from(cpus) {
        return true;
    }
    if let Some(most) = groups.iter().max_by_key(|group| group.count) {
        let problem = format!("makes {total} threads in all, but the machine has {cpus} CPUs");
        let help = "each thread needs a CPU of its own: take fewer, or a larger machine";
        checker.complain(most.counted_by, Complaint::new(problem, help));
    }
    false
}

/// The CPUs that a field lists, if it is there and good.
fn read_list(checker: &mut Checker<'_>, path: &str, cpus: u32) -> Option<Vec<u32>> {
    let parts: Vec<(String, Option<&str>)> = match &checker.node(path)?.value {
        Value::Scalar(text) => vec![(path.into(), Some(text))],
        Value::List(items) => items
            .iter()
            .enumerate()
            .map(|(index, item)| {
                let text = if let Value::Scalar(text) = &item.value { Some(text.as_str()) } else { None };
                (format!("{path}[{index}]"), text)
            })
            .collect(),
        _ => vec![(path.into(), None)],
    };
    let mut list = Some(Vec::new());
    for (path, text) in parts {
        let cpus = match text {
            Some(text) => cpu_list::parse(text, cpus),
            None => Err(Complaint::new("is not a list of CPUs", "write for example `0-7` or `[0, 2, 4]`")),
        };
        match cpus {
            Ok(cpus) => list.iter_mut().for_each(|list| list.extend(&cpus)),
            Err(complaint) => {
                checker.complain(&path, complaint);
                list = None;
            }
        }
    }
    list
}

/// Complains about a list that has too few CPUs for its threads or gives a CPU a second thread. `used` is the part
/// of the list that the threads take.
fn check_list(
    checker: &mut Checker<'_>,
    path: &str,
    counted_by: &str,
    used: &[u32],
    threads: u32,
    taken: &mut BTreeSet<u32>,
) {
    if used.len() < threads as usize {
        let problem = format!("has {} CPUs for {threads} threads", used.len());
        let help = format!("name {threads} CPUs, or change `{counted_by}`, which says how many threads there are");
        checker.complain(path, Complaint::new(problem, help));
    }
    let again: Vec<u32> = used.iter().filter(|cpu| !taken.insert(**cpu)).copied().collect();
    if let Some(cpu) = again.first() {
        let problem = format!("gives CPU {cpu} a second thread");
        checker.complain(path, Complaint::new(problem, "give each thread a CPU of its own"));
    }
}

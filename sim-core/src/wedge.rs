//! Why nothing moves any more: the wait-for graph.

use std::fmt;

use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::account::Category;
use crate::cpu::State;
use crate::engine::Engine;
use crate::lines::NOBODY;
use crate::time::Time;

/// Everybody who waits, and for whom.
#[derive(Clone, Debug)]
pub struct Wedge {
    /// The time at which nothing moved any more.
    pub at: Time,
    /// The waiting threads, by CPU.
    pub waiting: Vec<Waiting>,
    /// The CPUs that wait for each other in a circle; empty if the circle is not closed (somebody ended without
    /// writing what others wait for).
    pub circle: Vec<usize>,
}

/// One waiting thread.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Its CPU.
    pub cpu: usize,
    /// Its name.
    pub thread: String,
    /// What it waits for, as an index into the simulation's activities.
    pub reason: Option<u16>,
    /// The labels of the lines it watches.
    pub lines: Vec<String>,
    /// The CPUs that wrote those lines last, with their threads' names and whether those have ended.
    pub written_by: Vec<(usize, String, bool)>,
}

impl Engine {
    /// Who waits for whom: each parked CPU for the CPUs that last held the lines it watches.
    pub(crate) fn wedge(&self) -> Wedge {
        let mut graph = DiGraph::<usize, ()>::new();
        let nodes: Vec<NodeIndex> = (0..self.cpus.len()).map(|cpu| graph.add_node(cpu)).collect();
        let mut waiting = Vec::new();
        for (number, cpu) in self.cpus.iter().enumerate().filter(|(_, cpu)| cpu.state == State::Parked) {
            let mut lines: Vec<String> = Vec::new();
            let mut written_by: Vec<(usize, String, bool)> = Vec::new();
            for line in cpu.poll.watched() {
                let entry = self.lines.table[*line as usize];
                let name = self.labels[entry.label.0 as usize].clone();
                if !lines.contains(&name) {
                    lines.push(name);
                }
                let writer = entry.writer;
                if writer != NOBODY && writer as usize != number {
                    let writer = writer as usize;
                    graph.update_edge(nodes[number], nodes[writer], ());
                    let other = (writer, self.cpus[writer].thread_name.clone(), self.cpus[writer].ended.is_some());
                    if !written_by.contains(&other) {
                        written_by.push(other);
                    }
                }
            }
            let reason = match cpu.poll.failing.map(|number| self.numbering.category(number)) {
                Some(Category::Wait(activity, _)) => Some(activity.0),
                _ => None,
            };
            waiting.push(Waiting { cpu: number, thread: cpu.thread_name.clone(), reason, lines, written_by });
        }
        let circles = tarjan_scc(&graph).into_iter().filter(|circle| circle.len() > 1);
        let mut circle: Vec<usize> = circles.flatten().map(|node| graph[node]).collect();
        circle.sort_unstable();
        Wedge { at: self.now, waiting, circle }
    }
}

impl fmt::Display for Wedge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing moves any more after {}:", self.at)?;
        for Waiting { cpu, thread, lines, written_by, .. } in &self.waiting {
            write!(f, "\n  {thread} on CPU {cpu} waits for a write to {}", lines.join(", "))?;
            for (writer, name, ended) in written_by {
                let state = if *ended { ", which has ended" } else { "" };
                write!(f, ", last written by {name} on CPU {writer}{state}")?;
            }
        }
        if !self.circle.is_empty() {
            let cpus: Vec<String> = self.circle.iter().map(usize::to_string).collect();
            write!(f, "\n  these CPUs wait for each other: {}", cpus.join(", "))?;
        }
        Ok(())
    }
}

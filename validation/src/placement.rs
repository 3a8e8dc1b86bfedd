//! Where a cell's threads stand on a machine.

use sim_core::{MachineModel, Time};

/// Where threads stand, told by the machine's structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// One thread per core, on the first so many cores.
    FirstCores(u32),
    /// Two hardware threads of one core.
    OneCore,
    /// The first two cores, which are as near as cores get.
    NearCores,
    /// Two cores as far apart as the machine allows.
    FarCores,
    /// One of these lists of CPUs, for each seed another.
    AnyOf(Vec<Vec<u32>>),
}

impl Placement {
    /// The CPUs with this seed, in the order of the threads; `None` if the machine has no such CPUs.
    pub fn resolve(&self, machine: &MachineModel, seed: u64) -> Option<Vec<u32>> {
        let count = machine.cpus.len() as u32;
        match self {
            Self::FirstCores(threads) => {
                let firsts: Vec<u32> = first_cpu_of_each_core(machine).take(*threads as usize).collect();
                (firsts.len() == *threads as usize).then_some(firsts)
            }
            Self::OneCore => {
                let core = |cpu: u32| machine.cpus[cpu as usize].core;
                let sibling = |cpu: u32| (cpu + 1..count).find(|other| core(*other) == core(cpu));
                (0..count).find_map(|cpu| Some(vec![cpu, sibling(cpu)?]))
            }
            Self::NearCores => pair(machine, |latency, best| latency < best),
            Self::FarCores => pair(machine, |latency, best| latency > best),
            Self::AnyOf(lists) => {
                let index = seed.checked_rem(lists.len() as u64)?;
                let cpus = &lists[index as usize];
                cpus.iter().all(|cpu| *cpu < count).then(|| cpus.clone())
            }
        }
    }
}

fn first_cpu_of_each_core(machine: &MachineModel) -> impl Iterator<Item = u32> {
    let core = |cpu: u32| machine.cpus[cpu as usize].core;
    (0..machine.cpus.len() as u32).filter(move |cpu| (0..*cpu).all(|earlier| core(earlier) != core(*cpu)))
}

/// The first core, and the first other one whose latency is better than that of all before it.
fn pair(machine: &MachineModel, better: impl Fn(Time, Time) -> bool) -> Option<Vec<u32>> {
    let mut cores = first_cpu_of_each_core(machine);
    let first = cores.next()?;
    let latency = |cpu: u32| {
        let class = machine.distance_between[first as usize * machine.cpus.len() + cpu as usize];
        machine.distances[class as usize].latency
    };
    let second = cores.reduce(|best, cpu| if better(latency(cpu), latency(best)) { cpu } else { best })?;
    Some(vec![first, second])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::machine;

    #[test]
    fn placements_follow_the_structure() {
        // Two sockets of two cores of two hardware threads.
        let model = machine(8, 5.0, 30.0).model;
        assert_eq!(Placement::FirstCores(3).resolve(&model, 0), Some(vec![0, 2, 4]));
        assert_eq!(Placement::FirstCores(5).resolve(&model, 0), None);
        assert_eq!(Placement::OneCore.resolve(&model, 0), Some(vec![0, 1]));
        assert_eq!(Placement::NearCores.resolve(&model, 0), Some(vec![0, 2]));
        assert_eq!(Placement::FarCores.resolve(&model, 0), Some(vec![0, 4]));
        let either = Placement::AnyOf(vec![vec![7, 1], vec![0, 8]]);
        assert_eq!(either.resolve(&model, 2), Some(vec![7, 1]));
        assert_eq!(either.resolve(&model, 3), None);
        assert_eq!(Placement::AnyOf(vec![]).resolve(&model, 0), None);
    }

    #[test]
    fn a_machine_without_hyper_threads_has_no_siblings() {
        let model = machine(4, 5.0, 30.0).model;
        assert_eq!(Placement::OneCore.resolve(&model, 0), None);
        assert_eq!(Placement::FirstCores(4).resolve(&model, 0), Some(vec![0, 1, 2, 3]));
    }
}

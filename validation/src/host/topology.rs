//! Which of the host's CPUs share what, as the operating system tells it.

use std::fs;
use std::path::Path;

use models::machine::CpuEntry;

use crate::error::Error;
use crate::native::allowed_cpus;

/// Where Linux describes its CPUs.
const CPUS: &str = "/sys/devices/system/cpu";

/// One of the host's CPUs. The other numbers are those of the first CPU that shares the unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCpu {
    /// The operating system's number.
    pub number: u32,
    /// Its core.
    pub core: u32,
    /// Its second-level cache.
    pub cluster: u32,
    /// Its last-level cache.
    pub llc: u32,
    /// Its socket.
    pub socket: u32,
}

/// How far two CPUs are from each other. The names are those of machine profiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Distance {
    /// Hardware threads of one core.
    SameCore,
    /// Cores with a common second-level cache.
    SameCluster,
    /// Cores with a common last-level cache.
    SameLlc,
    /// Cores of one socket.
    SameSocket,
    /// Cores of two sockets.
    OtherSocket,
}

impl Distance {
    /// Its key under `transfer` in a machine profile.
    pub const fn key(self) -> &'static str {
        match self {
            Self::SameCore => "same-core",
            Self::SameCluster => "same-cluster",
            Self::SameLlc => "same-llc",
            Self::SameSocket => "same-socket",
            Self::OtherSocket => "other-socket",
        }
    }
}

impl HostCpu {
    /// How far another CPU is.
    pub fn distance(&self, other: &Self) -> Distance {
        if self.core == other.core {
            Distance::SameCore
        } else if self.cluster == other.cluster {
            Distance::SameCluster
        } else if self.llc == other.llc {
            Distance::SameLlc
        } else if self.socket == other.socket {
            Distance::SameSocket
        } else {
            Distance::OtherSocket
        }
    }

    /// The CPU as entry number `index` of a profile's topology.
    pub(super) fn entry(&self, index: usize) -> CpuEntry {
        CpuEntry {
            cpu: index as u64,
            core: u64::from(self.core),
            cluster: Some(u64::from(self.cluster)),
            llc: u64::from(self.llc),
            socket: u64::from(self.socket),
            kind: None,
        }
    }

    /// Reads what there is under `folder`. A CPU that it says nothing about is a core of its own, at one last-level
    /// cache and in one socket with all others that it says nothing about.
    fn read(folder: &Path, number: u32) -> Self {
        let cpu = folder.join(format!("cpu{number}"));
        let first_of = |file: &str| first_of_list(&fs::read_to_string(cpu.join(file)).ok()?);
        let socket = first_of("topology/package_cpus_list").or_else(|| first_of("topology/core_siblings_list"));
        let socket = socket.unwrap_or(0);
        Self {
            number,
            core: first_of("topology/thread_siblings_list").unwrap_or(number),
            cluster: first_of("cache/index2/shared_cpu_list").unwrap_or(number),
            llc: first_of("cache/index3/shared_cpu_list").unwrap_or(socket),
            socket,
        }
    }
}

/// The CPUs that this process may run on.
///
/// # Errors
/// The operating system does not say.
pub fn allowed() -> Result<Vec<HostCpu>, Error> {
    let numbers = allowed_cpus().map_err(|error| Error::Host(error.to_string()))?;
    Ok(numbers.into_iter().map(|number| HostCpu::read(Path::new(CPUS), number)).collect())
}

/// The first number of a list such as "0,28" or "4-7".
fn first_of_list(list: &str) -> Option<u32> {
    list.trim().split([',', '-']).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder as Linux has it, of two sockets of two cores of two hardware threads.
    fn folder(name: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("coretwin-{name}-{}", std::process::id()));
        for cpu in 0..8_u32 {
            let (core, socket) = (cpu % 4, cpu % 4 / 2);
            let siblings = format!("{core},{}\n", core + 4);
            let socket = format!("{}-{},{}-{}\n", socket * 2, socket * 2 + 1, socket * 2 + 4, socket * 2 + 5);
            let files = [
                ("topology/thread_siblings_list", &siblings),
                ("topology/package_cpus_list", &socket),
                ("cache/index2/shared_cpu_list", &siblings),
                ("cache/index3/shared_cpu_list", &socket),
            ];
            for (file, text) in files {
                let path = folder.join(format!("cpu{cpu}")).join(file);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, text).unwrap();
            }
        }
        folder
    }

    #[test]
    fn the_operating_system_says_what_is_shared() {
        let folder = folder("topology");
        let cpus: Vec<HostCpu> = (0..8).map(|number| HostCpu::read(&folder, number)).collect();
        let unknown = HostCpu::read(&folder, 99);
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(cpus[7], HostCpu { number: 7, core: 3, cluster: 3, llc: 2, socket: 2 });
        let distances: Vec<Distance> = cpus.iter().map(|cpu| cpus[0].distance(cpu)).collect();
        use Distance::{OtherSocket, SameCore, SameLlc};
        let expected = [SameCore, SameLlc, OtherSocket, OtherSocket, SameCore, SameLlc, OtherSocket, OtherSocket];
        assert_eq!(distances, expected);
        assert_eq!(unknown, HostCpu { number: 99, core: 99, cluster: 99, llc: 0, socket: 0 });
    }
}

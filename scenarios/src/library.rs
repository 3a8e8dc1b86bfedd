//! The scenarios that come with CoreTwin.

/// A shipped scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shipped {
    /// The name it can be run by.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// All of them, in the order of their names.
        pub const LIBRARY: &[Shipped] =
            &[$(Shipped { name: $name, text: include_str!(concat!("../library/", $name, ".yaml")) }),*];
    };
}

shipped![
    "counter-cas",
    "counter-fetch-add",
    "counter-packed",
    "counter-padded",
    "lock-mcs",
    "lock-test-and-set",
    "lock-ticket",
    "ping-pong-near",
    "ping-pong-other-chiplet",
    "ping-pong-other-socket",
    "ring-mpmc-16",
    "ring-mpmc-64",
    "ring-spsc",
    "stack",
];

impl Shipped {
    /// The shipped scenario of this name.
    pub fn by_name(name: &str) -> Option<&'static Self> {
        LIBRARY.iter().find(|shipped| shipped.name == name)
    }

    /// What it shows: the first line of comment.
    pub fn summary(&self) -> &'static str {
        summary(self.text)
    }
}

/// The first line of comment of a scenario's text; empty if it does not start with one.
pub(crate) fn summary(text: &str) -> &str {
    text.lines().next().and_then(|line| line.trim().strip_prefix('#')).unwrap_or("").trim()
}

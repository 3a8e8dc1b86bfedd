//! Cache lines: who holds which, until when, and when a line may move again.

use crate::account::Label;
use crate::time::Time;

/// No CPU.
pub(crate) const NOBODY: u32 = u32::MAX;

/// One line's directory entry. It describes the line after all transfers that have been granted so far, the
/// last of which may lie in the future.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The earliest moment at which it can be granted to somebody else.
    pub(crate) available: Time,
    /// Who got it last and supplies it next; [`NOBODY`] if it is in memory.
    pub(crate) holder: u32,
    /// Who asked for it last in order to write it.
    pub(crate) writer: u32,
    /// The holder may write it (M or E); otherwise it is clean and may be shared.
    pub(crate) exclusive: bool,
    /// The holder has written it since it got it.
    pub(crate) modified: bool,
    pub(crate) label: Label,
}

/// Until when one CPU's copy of one line is good.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Hold {
    pub(crate) read_until: Time,
    pub(crate) write_until: Time,
}

/// All lines, with every CPU's hold on each.
#[derive(Debug)]
pub(crate) struct Lines {
    pub(crate) table: Vec<Line>,
    holds: Vec<Hold>,
    /// One bit per CPU for each line that nobody holds exclusively: it has a copy that is good without limit.
    sharers: Vec<u64>,
    cpus: usize,
    words: usize,
}

impl Lines {
    pub(crate) fn new(cpus: usize) -> Self {
        Self { table: Vec::new(), holds: Vec::new(), sharers: Vec::new(), cpus, words: cpus.div_ceil(64) }
    }

    /// Makes room for this many lines; new ones are in memory.
    pub(crate) fn grow(&mut self, lines: usize) {
        if lines > self.table.len() {
            let fresh = Line {
                available: Time::ZERO,
                holder: NOBODY,
                writer: NOBODY,
                exclusive: false,
                modified: false,
                label: Label::default(),
            };
            self.table.resize(lines, fresh);
            self.holds.resize(lines * self.cpus, Hold::default());
            self.sharers.resize(lines * self.words, 0);
        }
    }

    #[inline]
    pub(crate) fn hold(&mut self, line: usize, cpu: usize) -> &mut Hold {
        &mut self.holds[line * self.cpus + cpu]
    }

    /// Some CPU other than `cpu` that shares the line.
    #[inline]
    pub(crate) fn another_sharer(&self, line: usize, cpu: usize) -> Option<usize> {
        self.words_of(line).iter().enumerate().find_map(|(word, bits)| {
            let others = if word == cpu / 64 { bits & !(1 << (cpu % 64)) } else { *bits };
            (others != 0).then(|| word * 64 + others.trailing_zeros() as usize)
        })
    }

    #[inline]
    pub(crate) fn add_sharer(&mut self, line: usize, cpu: usize) {
        self.sharers[line * self.words + cpu / 64] |= 1 << (cpu % 64);
    }

    /// Takes one of the sharers away from a line.
    #[inline]
    pub(crate) fn take_sharer(&mut self, line: usize) -> Option<usize> {
        let words = &mut self.sharers[line * self.words..][..self.words];
        let (word, bits) = words.iter_mut().enumerate().find(|(_, bits)| **bits != 0)?;
        let cpu = word * 64 + bits.trailing_zeros() as usize;
        *bits &= *bits - 1;
        Some(cpu)
    }

    fn words_of(&self, line: usize) -> &[u64] {
        &self.sharers[line * self.words..][..self.words]
    }
}

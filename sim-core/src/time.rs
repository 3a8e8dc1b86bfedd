//! Simulated time, in whole picoseconds, and its conversion from cycles.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, Rem, Sub, SubAssign};

/// A point in simulated time, or a length of it, in picoseconds. Holds 213 days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub u64);

impl Time {
    /// The start of a simulation; no time at all.
    pub const ZERO: Self = Self(0);
    /// Later than anything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// So many picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// So many nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// So many microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// So many milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// The nearest whole picosecond to so many nanoseconds; negative values and NaN give zero.
    pub fn from_ns_f64(ns: f64) -> Self {
        Self((ns * 1e3).round() as u64)
    }

    /// Whole picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Nanoseconds.
    pub fn as_ns_f64(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// Seconds.
    pub fn as_seconds_f64(self) -> f64 {
        self.0 as f64 / 1e12
    }

    /// The time from `earlier` to `self`, or zero if it lies in the future.
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }

    /// The sum, stopping at [`Time::NEVER`].
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// A part or multiple of this length, to the nearest picosecond; a negative factor gives zero.
    pub fn scaled(self, factor: f64) -> Self {
        Self((self.0 as f64 * factor).round() as u64)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scale, unit) = match self.0 {
            0..1_000 => return write!(f, "{} ps", self.0),
            1_000..1_000_000 => (1e3, "ns"),
            1_000_000..1_000_000_000 => (1e6, "us"),
            1_000_000_000..1_000_000_000_000 => (1e9, "ms"),
            _ => (1e12, "s"),
        };
        write!(f, "{} {unit}", (self.0 as f64 / scale * 1e3).round() / 1e3)
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sub for Time {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0)
    }
}

impl SubAssign for Time {
    fn sub_assign(&mut self, other: Self) {
        self.0 -= other.0;
    }
}

impl Mul<u64> for Time {
    type Output = Self;
    fn mul(self, factor: u64) -> Self {
        Self(self.0 * factor)
    }
}

impl Div<u64> for Time {
    type Output = Self;
    fn div(self, divisor: u64) -> Self {
        Self(self.0 / divisor)
    }
}

impl Rem for Time {
    type Output = Self;
    fn rem(self, divisor: Self) -> Self {
        Self(self.0 % divisor.0)
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

/// A clock rate in hertz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frequency(u64);

impl Frequency {
    /// So many hertz, if that is at least 1 kHz and at most 1 THz.
    pub const fn from_hz(hz: u64) -> Option<Self> {
        if hz >= 1_000 && hz <= 1_000_000_000_000 { Some(Self(hz)) } else { None }
    }

    /// Hertz.
    pub const fn as_hz(self) -> u64 {
        self.0
    }

    /// When the clock's tick number `cycle` comes, counted from time zero. Exact to the picosecond, so
    /// differences of these accumulate no error.
    pub const fn time_of_cycle(self, cycle: u64) -> Time {
        Time((cycle as u128 * 1_000_000_000_000 / self.0 as u128) as u64)
    }

    /// How many ticks have passed at `time`.
    pub const fn cycles_at(self, time: Time) -> u64 {
        (time.0 as u128 * self.0 as u128 / 1_000_000_000_000) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles_do_not_drift() {
        let clock = Frequency::from_hz(3_333_333_333).unwrap();
        let day = 86_400 * 3_333_333_333;
        assert_eq!(clock.time_of_cycle(day), Time::from_ms(86_400_000));
        assert!(clock.cycles_at(clock.time_of_cycle(day)).abs_diff(day) <= 1);
    }

    #[test]
    fn display_chooses_the_unit() {
        assert_eq!(Time::from_ps(250).to_string(), "250 ps");
        assert_eq!(Time::from_ns_f64(12.5).to_string(), "12.5 ns");
        assert_eq!(Time::from_ms(50).to_string(), "50 ms");
    }
}

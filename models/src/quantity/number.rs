//! Decimal numbers, read exactly.

/// Digits beyond these change no quantity.
const DIGITS_MAX: u32 = 25;

/// Powers of ten beyond these are zero or too large for every quantity.
const POWER_MAX: i32 = 1000;

/// A decimal number: `digits` times ten to the `power`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    digits: u128,
    power: i32,
}

/// A number of base units, and whether it had to be rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scaled {
    pub base: u64,
    pub rounded: bool,
}

impl Number {
    /// The number at the beginning of a text, and what follows it; `None` if there is none.
    pub fn parse(text: &str) -> Option<(Self, &str)> {
        let bytes = text.as_bytes();
        let mut number = Self { digits: 0, power: 0 };
        let (mut at, mut any, mut point, mut kept) = (0, false, false, 0);
        while let Some(byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' if kept < DIGITS_MAX => {
                    number.digits = number.digits * 10 + u128::from(byte - b'0');
                    kept += u32::from(number.digits > 0);
                    number.power -= i32::from(point);
                    any = true;
                }
                b'0'..=b'9' => number.power = (number.power + i32::from(!point)).min(POWER_MAX),
                b'.' if !point => point = true,
                _ => break,
            }
            at += 1;
        }
        if !any {
            return None;
        }
        if let Some((exponent, length)) = exponent(&text[at..]) {
            number.power = number.power.saturating_add(exponent).clamp(-POWER_MAX, POWER_MAX);
            at += length;
        }
        Some((number, &text[at..]))
    }

    /// The nearest whole number to this many times `scale`, at most 10¹²; `None` if it is too large.
    pub fn scaled(self, scale: u64) -> Option<Scaled> {
        let product = self.digits * u128::from(scale);
        let (whole, rounded) = if product == 0 {
            (0, false)
        } else if self.power >= 0 {
            (10_u128.checked_pow(self.power as u32)?.checked_mul(product)?, false)
        } else {
            match 10_u128.checked_pow(self.power.unsigned_abs()) {
                Some(divisor) => ((product + divisor / 2) / divisor, !product.is_multiple_of(divisor)),
                None => (0, true),
            }
        };
        Some(Scaled { base: u64::try_from(whole).ok()?, rounded })
    }
}

/// The exponent that a text begins with ("e-3"), and its length.
fn exponent(text: &str) -> Option<(i32, usize)> {
    let rest = text.strip_prefix(['e', 'E'])?;
    let digits = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let value = digits[..count]
        .bytes()
        .fold(0_i32, |value, byte| value.saturating_mul(10).saturating_add(i32::from(byte - b'0')));
    let signed = if rest.starts_with('-') { -value } else { value };
    (count > 0).then(|| (signed, text.len() - digits.len() + count))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled(text: &str, scale: u64) -> Option<(u64, bool)> {
        let (number, rest) = Number::parse(text).unwrap();
        assert_eq!(rest, "", "{text}");
        number.scaled(scale).map(|scaled| (scaled.base, scaled.rounded))
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(scaled("0.1", 1_000), Some((100, false)));
        assert_eq!(scaled("1.005", 100), Some((101, true)));
        assert_eq!(scaled(".5e1", 1), Some((5, false)));
        assert_eq!(scaled("25e-1", 2), Some((5, false)));
        assert_eq!(scaled("18446744073709551615", 1), Some((u64::MAX, false)));
        assert_eq!(scaled("0.00000000000000000000000000000000000000000000000000001", 1), Some((0, true)));
        assert_eq!(scaled("0e999999999999", 1_000), Some((0, false)));
    }

    #[test]
    fn what_does_not_fit_is_not_wrapped() {
        assert_eq!(scaled("18446744073709551616", 1), None);
        assert_eq!(scaled("1e19", 1_000_000_000_000), None);
        assert_eq!(scaled("1e999999999999", 1), None);
        assert_eq!(scaled(&"9".repeat(400), 1), None);
    }

    #[test]
    fn stops_at_the_unit() {
        let rest = |text| Number::parse(text).map(|(_, rest)| rest);
        assert_eq!(rest("12.5 ns"), Some(" ns"));
        assert_eq!(rest("1.2.3"), Some(".3"));
        assert_eq!(rest("5e ns"), Some("e ns"));
        assert_eq!(rest("ns"), None);
        assert_eq!(rest("."), None);
        assert_eq!(rest("-1"), None);
    }
}

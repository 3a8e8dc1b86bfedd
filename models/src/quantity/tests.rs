use proptest::prelude::*;

use super::*;

fn message<Q: Quantity + fmt::Debug>(text: &str) -> String {
    parse::<Q>(text).unwrap_err().to_string()
}

#[test]
fn reads_what_people_write() {
    assert_eq!(parse("50 ms"), Ok(Time::from_ms(50)));
    assert_eq!(parse("12.5 ns"), Ok(Time::from_ps(12_500)));
    assert_eq!(parse("3us"), Ok(Time::from_us(3)));
    assert_eq!(parse(" 3 µs "), Ok(Time::from_us(3)));
    assert_eq!(parse("0 ns"), Ok(Time::ZERO));
    assert_eq!(parse("2.4 GHz"), Ok(Frequency::from_hz(2_400_000_000).unwrap()));
    assert_eq!(parse("64 B"), Ok(Bytes(64)));
    assert_eq!(parse("32 KiB"), Ok(Bytes(32_768)));
    assert_eq!(parse("1.5 kB"), Ok(Bytes(1_500)));
    assert_eq!(parse::<Rate>("10 Mpps").map(Rate::per_second), Ok(1e7));
    assert_eq!(parse::<Ratio>("25 %").map(Ratio::as_f64), Ok(0.25));
    assert_eq!(parse::<Ratio>("0.33").map(Ratio::as_f64), Ok(0.33));
    assert_eq!(parse::<Ratio>("120%").map(Ratio::as_f64), Ok(1.2));
    assert_eq!(Dimension::Count.parse("56"), Ok(56));
}

#[test]
fn errors_say_what_is_wrong_and_what_would_be_right() {
    assert_eq!(message::<Time>("50"), "`50` has no unit: a time needs a unit, such as 50 ms");
    let wrong_unit = "`10 Mpps` is a rate, not a time: a time is in ps, ns, us, ms or s, such as 50 ms";
    assert_eq!(message::<Time>("10 Mpps"), wrong_unit);
    assert_eq!(message::<Rate>("10 bananas").split(": ").nth(1), Some("a rate has no unit called `bananas`"));
    assert_eq!(message::<Time>(""), "`` is not a time: write it as 50 ms");
    assert_eq!(message::<Time>("fast"), "`fast` is not a time: write it as 50 ms");
    assert_eq!(message::<Time>("1.2.3 ns"), "`1.2.3 ns` is not a time: write it as 50 ms");
    assert_eq!(message::<Bytes>("0.5 B"), "`0.5 B`: a size is a whole number: write it as 64 B");
    assert_eq!(
        message::<Ratio>("3 ns"),
        "`3 ns` is a time, not a ratio: a ratio is in % or no unit, such as 0.25 or 25 %"
    );
    assert_eq!(Dimension::Count.parse("8 B").unwrap_err().problem, Problem::Unitless);
}

#[test]
fn numbers_that_are_none_or_do_not_fit_are_refused() {
    for text in ["NaN", ".nan", "nan ns", "inf", "-inf", ".inf ns", "Infinity ns"] {
        assert_eq!(parse::<Time>(text).unwrap_err().problem, Problem::NotFinite, "{text}");
    }
    for text in ["-1 ns", "-0.5 ms"] {
        assert_eq!(parse::<Time>(text).unwrap_err().problem, Problem::Negative, "{text}");
    }
    for text in ["1e30 s", "300 s e", "107 days", "999999999999999999999999999999 ns"] {
        assert!(parse::<Time>(text).is_err(), "{text}");
    }
    assert_eq!(parse::<Time>("10000000 s").unwrap_err().problem, Problem::TooLarge);
    assert_eq!(parse::<Time>("0.1 ps").unwrap_err().problem, Problem::TooSmall);
    assert_eq!(parse::<Frequency>("10 Hz").unwrap_err().problem, Problem::TooSmall);
    assert_eq!(parse::<Frequency>("0 GHz").unwrap_err().problem, Problem::TooSmall);
    let limits = "`2000 GHz` is too large: a frequency lies between 1 kHz and 1000 GHz";
    assert_eq!(message::<Frequency>("2000 GHz"), limits);
}

#[test]
fn prints_in_the_unit_that_suits() {
    assert_eq!(print(Time::from_ps(1_234_567)), "1.234567 us");
    assert_eq!(print(Time::ZERO), "0 ps");
    assert_eq!(print(Frequency::from_hz(2_400_000_000).unwrap()), "2.4 GHz");
    assert_eq!(print(Bytes(4096)), "4 KiB");
    assert_eq!(print(Bytes(1500)), "1500 B");
    assert_eq!(print(parse::<Ratio>("5 %").unwrap()), "0.05");
    assert_eq!(print(parse::<Ratio>("0").unwrap()), "0");
    assert_eq!(print(parse::<Rate>("14.88 Mpps").unwrap()), "14.88 Mpps");
}

#[test]
fn a_document_reports_the_place() {
    #[derive(Debug, serde::Deserialize, serde::Serialize, PartialEq)]
    struct Document {
        #[serde(with = "crate::quantity")]
        warm_up: Time,
        #[serde(with = "crate::quantity")]
        share: Ratio,
    }
    let text = "warm_up: 20 us\nshare: 0.25\n";
    let document: Document = serde_yaml::from_str(text).unwrap();
    assert_eq!(document.warm_up, Time::from_us(20));
    let again = serde_yaml::to_string(&document).unwrap();
    assert_eq!(serde_yaml::from_str::<Document>(&again).unwrap(), document);

    let error = serde_yaml::from_str::<Document>("share: 1\nwarm_up: 20\n").unwrap_err();
    assert_eq!(error.location().map(|at| (at.line(), at.column())), Some((2, 10)), "{error}");
    assert!(error.to_string().contains("a time needs a unit, such as 50 ms"), "{error}");
}

proptest! {
    #[test]
    fn printing_and_reading_give_the_same_back(base in prop_oneof![0..=i64::MAX as u64, 0..100_000_u64]) {
        fn same<Q: Quantity + PartialEq + fmt::Debug>(base: u64) -> Result<(), TestCaseError> {
            if let Some(quantity) = Q::from_base(base) {
                prop_assert_eq!(parse(&print(quantity)), Ok(quantity));
            }
            Ok(())
        }
        same::<Time>(base)?;
        same::<Frequency>(base)?;
        same::<Bytes>(base)?;
        same::<Rate>(base)?;
        same::<Ratio>(base)?;
    }

    #[test]
    fn no_text_makes_it_panic(text in "\\PC{0,24}", digits in "[-+.0-9eE]{0,12}( ?(ps|ns|GHz|%|B|pps))?") {
        for dimension in [Dimension::Time, Dimension::Frequency, Dimension::Bytes, Dimension::Ratio, Dimension::Count] {
            for text in [&text, &digits] {
                if let Ok(base) = dimension.parse(text) {
                    prop_assert!(dimension.limits().contains(&base));
                }
            }
        }
    }
}

//! Values of options: numbers, and messages for what is not a number.

use planes::Error;
use std::str::FromStr;

/// Any number except NaN.
pub fn number(text: &str) -> Result<f64, String> {
    with_points(text, any_number)
}

/// A length above 0.
pub fn length(text: &str) -> Result<f64, String> {
    with_points(text, |text| {
        let value = any_number(text)?;
        // A number that is not normal is 0, infinite, or too small to compute with.
        let is_length = value.is_normal() && value > 0.0;
        is_length.then_some(value).ok_or_else(|| "must be a positive length".into())
    })
}

/// Parses a text with the library, or returns the library's message.
pub fn said<T: FromStr<Err = Error>>(text: &str) -> Result<T, String> {
    with_points(text, |text| text.parse().map_err(|error: Error| error.to_string()))
}

/// A whole number from 0, perhaps written as 1e6.
pub fn whole(text: &str) -> Result<u64, String> {
    let text = text.trim();
    if let Ok(value) = text.parse() {
        return Ok(value);
    }
    if let Some(digits) = without_thousands(text) {
        return Err(format!("'{text}' has a separator between its digits; write {digits}"));
    }
    match text.parse::<f64>() {
        Ok(value) if value.fract() == 0.0 && value < 0.0 => Err("must not be negative".into()),
        // Up to this value, every whole number is exact in `f64`.
        Ok(value) if value.fract() == 0.0 && value <= 2f64.powi(53) => Ok(value as u64),
        _ => Err(format!("'{text}' is not a whole number")),
    }
}

/// The digits of a number that are in groups of three, as in `10.000`, which is ten in some countries and ten thousand in others.
fn without_thousands(text: &str) -> Option<String> {
    let are_digits = |group: &str| group.bytes().all(|byte| byte.is_ascii_digit());
    ['.', ',', '\'', '_', ' '].into_iter().find_map(|mark| {
        let (first, groups) = text.split_once(mark)?;
        let is_first =
            (1..=3).contains(&first.len()) && are_digits(first) && !first.starts_with('0');
        let are_groups = groups.split(mark).all(|group| group.len() == 3 && are_digits(group));
        (is_first && are_groups).then(|| text.replace(mark, ""))
    })
}

/// A whole number from 1 on.
pub fn positive(text: &str) -> Result<u64, String> {
    match whole(text)? {
        0 => Err("must be at least 1".into()),
        value => Ok(value),
    }
}

/// A whole number from 1 to `most`.
pub fn count<T: TryFrom<u64>>(text: &str, most: u64) -> Result<T, String> {
    let value = whole(text)?;
    let count = T::try_from(value).ok().filter(|_| (1..=most).contains(&value));
    count.ok_or_else(|| format!("must be from 1 to {most}"))
}

/// The first option given.
pub fn first_given(options: &[(&'static str, bool)]) -> Option<&'static str> {
    options.iter().find_map(|&(name, given)| given.then_some(name))
}

/// A number with a decimal point.
fn any_number(text: &str) -> Result<f64, String> {
    let value = text.trim().parse().ok().filter(|value: &f64| !value.is_nan());
    value.ok_or_else(|| format!("'{text}' is not a number"))
}

/// Parses a text. If it would do with points for its decimal commas, the message shows that instead.
fn with_points<T>(text: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<T, String> {
    parse(text).map_err(|message| {
        // In a list, every second comma is between two numbers.
        let parts: Vec<&str> = text.split(',').collect();
        let is_decimal = |number: &[&str]| match number {
            [whole, decimals] => {
                whole.ends_with(|c: char| c.is_ascii_digit())
                    && decimals.starts_with(|c: char| c.is_ascii_digit())
            }
            _ => true,
        };
        let numbers: Vec<String> = parts.chunks(2).map(|number| number.join(".")).collect();
        let pointed = numbers.join(",");
        let is_meant =
            parts.len() > 1 && parts.chunks(2).all(is_decimal) && parse(&pointed).is_ok();
        if is_meant { format!("use a point: {pointed}") } else { message }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use planes::cloud::Bbox;
    use planes::orient::Orient;
    use planes::space::Directions;

    #[test]
    fn what_is_no_number_is_said_in_words() {
        assert_eq!(number("0.02"), Ok(0.02));
        assert_eq!(number("abc"), Err("'abc' is not a number".into()));
        assert_eq!(number("nan"), Err("'nan' is not a number".into()));
        assert_eq!(number("0,02"), Err("use a point: 0.02".into()));
        assert_eq!(number("1,2,3"), Err("'1,2,3' is not a number".into()));
        assert_eq!(length("-0,5"), Err("'-0,5' is not a number".into()));
        assert_eq!(number("5,"), Err("'5,' is not a number".into()));
        for wrong in ["0", "-1", "inf", "1e-310"] {
            assert_eq!(length(wrong), Err("must be a positive length".into()), "{wrong}");
        }
    }

    #[test]
    fn decimal_commas_in_lists_are_told_from_those_between_numbers() {
        let point = |pointed: &str| Some(format!("use a point: {pointed}"));
        assert_eq!(said::<Directions>("ball:1,5").err(), point("ball:1.5"));
        assert_eq!(said::<Bbox>("0,5,0,5,9,5,9,5").err(), point("0.5,0.5,9.5,9.5"));
        assert_eq!(said::<Orient>("scanner:1,5,-2,5,0,0").err(), point("scanner:1.5,-2.5,0.0"));
        // A point makes no sense of these.
        for wrong in ["scanner:1,5", "scanner:1,2,3,4", "up,up"] {
            let message = said::<Orient>(wrong).unwrap_err();
            assert!(message.contains("is none of up"), "{wrong}: {message}");
        }
    }

    #[test]
    fn whole_numbers_may_be_written_short() {
        assert_eq!([whole("1e6"), whole("12"), whole("2.5e1")], [Ok(1_000_000), Ok(12), Ok(25)]);
        assert_eq!(whole("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(whole("-3"), Err("must not be negative".into()));
        assert_eq!(whole("2.5"), Err("'2.5' is not a whole number".into()));
        assert_eq!(whole("2,5"), Err("'2,5' is not a whole number".into()));
        for thousands in ["10.000", "10,000", "10'000", "10_000", "10 000"] {
            let message = whole(thousands).unwrap_err();
            assert!(message.ends_with("write 10000"), "{message}");
        }
        assert_eq!(whole("1.000.000").unwrap_err().split("write ").last(), Some("1000000"));
        assert_eq!([whole("2.0"), whole("1.000e3")], [Ok(2), Ok(1000)]);
        assert_eq!([positive("1"), positive("0")], [Ok(1), Err("must be at least 1".into())]);
        assert_eq!(count::<u16>("0", 65535), Err("must be from 1 to 65535".into()));
        assert_eq!(count::<u16>("70000", 1 << 20), Err("must be from 1 to 1048576".into()));
        assert_eq!(count::<u32>("70000", 1 << 20), Ok(70_000));
    }
}

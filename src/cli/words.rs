//! Numbers and names for people to read.

use std::borrow::Cow;

/// `1 plane`, `2 planes`.
pub fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// With `and`: `a`, `a and b`, `a, b and c`.
pub fn listed(names: &[String], and: &str) -> String {
    match names {
        [others @ .., last] if !others.is_empty() => format!("{} {and} {last}", others.join(", ")),
        _ => names.concat(),
    }
}

/// A text without characters that control a terminal: they are written as `\n` and `\x1B`.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(char::is_control) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if c.is_control() { escape(c, &mut out) } else { out.push(c) }
    }
    out.into()
}

/// Appends a character as written in a quoted text.
pub fn escape(c: char, out: &mut String) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ => c
            .encode_utf8(&mut [0; 4])
            .bytes()
            .for_each(|byte| out.push_str(&format!("\\x{byte:02X}"))),
    }
}

/// A number with four significant digits.
pub fn significant(v: f64) -> String {
    digits(v, 4)
}

/// The same without trailing zeros.
pub fn brief(v: f64) -> String {
    let text = significant(v);
    if text.contains('.') && !text.contains('e') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// A number with this many significant digits; as a power of ten if it would have a long row of zeros.
pub fn digits(v: f64, count: i32) -> String {
    if v == 0.0 {
        return "0".into();
    }
    let size = v.abs().log10().floor() as i32;
    if !(-9..15).contains(&size) {
        return format!("{v:.*e}", (count - 1).max(0) as usize);
    }
    format!("{v:.*}", (count - 1 - size).max(0) as usize)
}

/// A number with the digits that an error of this size justifies: its last digit is at the position of the error's
/// first one, and no digit exceeds the precision of `f64`.
pub fn within(v: f64, error: f64) -> String {
    let size = |v: f64| v.abs().log10().floor();
    let held = 14.0 - if v == 0.0 { 0.0 } else { size(v).max(0.0) };
    // With an error of zero, all digits are valid.
    let decimals = if error > 0.0 { (-size(error)).min(held) } else { held };
    let text = format!("{v:.*}", decimals.clamp(0.0, 300.0) as usize);
    let is_zero = !text.contains(|c: char| c.is_ascii_digit() && c != '0');
    if is_zero { text.trim_start_matches('-').to_owned() } else { text }
}

/// The same without trailing zeros.
pub fn shortly(v: f64, error: f64) -> String {
    let text = within(v, error);
    if text.contains('.') {
        return text.trim_end_matches('0').trim_end_matches('.').to_owned();
    }
    text
}

/// Rows of cells below a heading, each column as wide as necessary, with decimal points aligned.
pub fn aligned(heading: &[&str], rows: &[Vec<String>]) -> String {
    let parts = |cell: &str| {
        let whole = cell.find('.').map_or(cell.chars().count(), |at| cell[..at].chars().count());
        (whole, cell.chars().count() - whole)
    };
    let columns: Vec<(usize, usize)> = (0..heading.len())
        .map(|k| {
            let cells = rows.iter().filter_map(|row| row.get(k)).map(|cell| parts(cell));
            let (whole, rest) = cells.fold((0, 0), |most, p| (most.0.max(p.0), most.1.max(p.1)));
            (whole.max(heading[k].chars().count().saturating_sub(rest)), rest)
        })
        .collect();
    let heads = heading.iter().zip(&columns).map(|(head, (a, b))| format!("{head:>0$}", a + b));
    let mut out = heads.collect::<Vec<_>>().join("  ") + "\n";
    for row in rows {
        let cells = row.iter().zip(&columns).map(|(cell, &(whole, rest))| {
            let (before, after) = parts(cell);
            " ".repeat(whole - before) + cell + &" ".repeat(rest - after)
        });
        out += cells.collect::<Vec<_>>().join("  ").trim_end();
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_digits_follow_the_number() {
        assert_eq!(significant(0.001_234_56), "0.001235");
        assert_eq!(significant(12.3456), "12.35");
        assert_eq!(significant(1_234_567.8), "1234568");
        assert_eq!(significant(0.0), "0");
        assert_eq!([significant(1.2345e-13), significant(1.2345e20)], ["1.234e-13", "1.234e20"]);
        assert_eq!(digits(0.012_345, 3), "0.0123");
        assert_eq!(
            [brief(0.001), brief(1000.0), brief(4.13), brief(1e-12)],
            ["0.001", "1000", "4.13", "1.000e-12"]
        );
    }

    #[test]
    fn digits_end_where_the_error_begins() {
        assert_eq!(within(12.345_678, 0.0023), "12.346");
        assert_eq!(within(-0.000_04, 0.002), "0.000");
        assert_eq!(within(1234.5, 30.0), "1234");
        assert_eq!(within(0.000_012_345, 2e-8), "0.00001234");
        assert_eq!(shortly(-56.096_000_000_000_004, 0.0), "-56.096");
        assert_eq!(shortly(0.100_000_001_490_116, 1e-5), "0.1");
        assert_eq!([shortly(100.0, 1e-3), shortly(5e20, 0.0)], ["100", "500000000000000000000"]);
    }

    #[test]
    fn points_stand_below_each_other() {
        let rows = [vec!["1".into(), "12.5".into()], vec!["10".into(), "0.125".into()]];
        assert_eq!(aligned(&["id", "x"], &rows), "id       x\n 1  12.5\n10   0.125\n");
    }

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        assert_eq!(clean("a b.las"), "a b.las");
        assert_eq!(clean("a\n\x1b[31m\u{85}\\.las"), "a\\n\\x1B[31m\\xC2\\x85\\.las");
    }

    #[test]
    fn one_is_no_plural() {
        assert_eq!([counted(1, "plane"), counted(0, "plane")], ["1 plane", "0 planes"]);
    }
}

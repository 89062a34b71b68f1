//! Numbers as people read them: thousands separated, three or four significant digits, units attached.
//!
//! Pure functions, called by the tables and by the axes of the charts.

/// What stands where there is no value.
pub const NONE: &str = "\u{2013}";

/// `6123456.0` as `6,123,456`. Rounds to a whole number.
pub fn whole(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0.0 && digits != "0" {
        out.push('\u{2212}');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// At most `digits` significant digits, no trailing zeros, thousands separated.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return if value == 0.0 { "0".to_owned() } else { NONE.to_owned() };
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = digits as i32 - 1 - magnitude;
    if decimals <= 0 {
        return whole(value);
    }
    let text = format!("{:.*}", decimals.min(9) as usize, value.abs());
    let text = text.trim_end_matches('0').trim_end_matches('.');
    let (integer, fraction) = text.split_once('.').unwrap_or((text, ""));
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    let integer = whole(integer.parse::<f64>().unwrap_or(0.0));
    if fraction.is_empty() { format!("{sign}{integer}") } else { format!("{sign}{integer}.{fraction}") }
}

fn scaled(value: f64, steps: &[(f64, &str)], digits: usize) -> String {
    let size = value.abs();
    // A value that would round up into the next unit is shown in that unit: 999.96 k is 1 M.
    let edge = 1.0 - 0.5 * 10f64.powi(-(digits as i32));
    let step = steps.iter().find(|(unit, _)| size >= unit * edge).or(steps.last());
    match step {
        Some((unit, name)) => format!("{}{name}", significant(value / unit, digits)),
        None => significant(value, digits),
    }
}

/// A count with a decimal prefix: `6.12 M`.
pub fn count(value: f64) -> String {
    scaled(value, &[(1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")], 3)
}

/// Bytes with a decimal prefix: `213 MB`.
pub fn bytes(value: f64) -> String {
    scaled(value, &[(1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")], 3)
}

/// A duration given in nanoseconds: `16.2 µs`.
pub fn duration_ns(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    scaled(value, &[(1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1.0, " ns")], 3)
}

/// A duration given in microseconds, or a dash if there is none.
pub fn duration_us(value: Option<f64>) -> String {
    value.map_or_else(|| NONE.to_owned(), |us| duration_ns(us * 1e3))
}

/// A point on the time axis.
pub fn seconds(value: f64) -> String {
    format!("{} s", significant(value, 4))
}

/// `0.999` as `99.9`, with as many nines as the value has; the sign stands in the axis' name.
pub fn percent_number(quantile: f64) -> String {
    significant(quantile * 100.0, 9)
}

/// A factor with three decimals, so that factors in a column compare: `1.016`.
pub fn factor(value: f64) -> String {
    format!("{value:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_grouped() {
        assert_eq!(whole(0.0), "0");
        assert_eq!(whole(999.4), "999");
        assert_eq!(whole(1000.0), "1,000");
        assert_eq!(whole(-1234567.0), "\u{2212}1,234,567");
        assert_eq!(whole(-0.2), "0");
    }

    #[test]
    fn significant_digits_without_noise() {
        assert_eq!(significant(1.0200, 4), "1.02");
        assert_eq!(significant(0.33333, 3), "0.333");
        assert_eq!(significant(12345.678, 4), "12,346");
        assert_eq!(significant(1234.5, 5), "1,234.5");
        assert_eq!(significant(-2.5, 3), "\u{2212}2.5");
        assert_eq!(significant(f64::NAN, 3), "\u{2013}");
    }

    #[test]
    fn units_follow_the_size() {
        assert_eq!(count(6_120_000.0), "6.12 M");
        assert_eq!(count(999_999.0), "1 M");
        assert_eq!(count(12.0), "12");
        assert_eq!(bytes(213_400_000.0), "213 MB");
        assert_eq!(bytes(0.0), "0 B");
        assert_eq!(duration_ns(16_210.0), "16.2 µs");
        assert_eq!(duration_ns(1.26e9), "1.26 s");
        assert_eq!(duration_ns(0.5), "0.5 ns");
    }

    #[test]
    fn percentiles_keep_their_nines() {
        assert_eq!(percent_number(0.5), "50");
        assert_eq!(percent_number(0.9999), "99.99");
        assert_eq!(percent_number(0.999_999_9), "99.99999");
        assert_eq!(percent_number(1.0), "100");
    }
}

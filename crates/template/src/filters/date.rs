//! The filter `date`, with nothing but the proleptic Gregorian calendar and fixed offsets.
//!
//! Named time zones need a database of several hundred kilobytes; the page has one and can give
//! the offset.

use serde_json::Value;

use crate::callee::Args;
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::number::{self, Num};
use crate::value::{Val, type_name};

const DAY: i64 = 86_400_000;
const HOUR: i64 = 3_600_000;
const MINUTE: i64 = 60_000;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

pub(super) fn date<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Result<Val<'a>, Fail> {
    let time = instant(val.get())?;
    let zone = args.text(1)?.unwrap_or("UTC");
    let offset = match zone {
        "UTC" | "GMT" => 0,
        other => offset(other).ok_or_else(|| {
            Fail::new(ErrorKind::Date, "the time zone of `date` is not supported")
                .hint("write UTC or a fixed offset such as +02:00; named zones are not known here")
        })?,
    };
    let format = args.text(0)?.unwrap_or("%Y-%m-%d");
    eval.spend_len(format.len())?;
    let moment = Moment::new(time, offset)
        .ok_or_else(|| Fail::new(ErrorKind::Date, "the date is not in the years 0000 to 9999"))?;
    moment.format(format).map(Val::text)
}

/// Milliseconds since 1970 of a number or a text.
fn instant(value: &Value) -> Result<i64, Fail> {
    match (value, Num::of(value)) {
        (Value::String(text), _) => parse(text.trim()).ok_or_else(|| {
            Fail::new(ErrorKind::Date, "the text is not a date")
                .hint("write it as 2026-01-31 or 2026-01-31T12:00:00Z")
        }),
        (Value::Number(_), Some(Num::Int(int))) => {
            i64::try_from(int).map_err(|_| Fail::new(ErrorKind::Date, "the time is out of range"))
        }
        (Value::Number(_), Some(Num::Float(float))) => number::truncate(float.floor()),
        (other, _) => {
            let message = format!(
                "`date` reads a text or milliseconds, not {}",
                type_name(other)
            );
            Err(Fail::new(ErrorKind::Type, message))
        }
    }
}

/// RFC 3339; the time, the seconds and the offset may be left out (then midnight, 0 and UTC).
fn parse(text: &str) -> Option<i64> {
    let (year, month, day) = (
        digits(text, 0, 4)?,
        digits(text, 5, 2)?,
        digits(text, 8, 2)?,
    );
    let dashes = text.get(4..5)? == "-" && text.get(7..8)? == "-";
    if !dashes || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    let midnight = days(year, month, day) * DAY;
    let rest = text.get(10..)?;
    if rest.is_empty() {
        return Some(midnight);
    }
    let clock = rest.strip_prefix(['T', 't', ' '])?;
    let (hour, minute) = (digits(clock, 0, 2)?, digits(clock, 3, 2)?);
    if clock.get(2..3)? != ":" || hour > 23 || minute > 59 {
        return None;
    }
    let mut time = hour * HOUR + minute * MINUTE;
    let mut rest = clock.get(5..)?;
    if let Some(seconds) = rest.strip_prefix(':') {
        // 60 is a leap second and reads as the next minute.
        let second = digits(seconds, 0, 2).filter(|second| *second <= 60)?;
        time += second * 1000;
        rest = seconds.get(2..)?;
        if let Some(fraction) = rest.strip_prefix('.') {
            let length = fraction.bytes().take_while(u8::is_ascii_digit).count();
            let millis: String = fraction
                .get(..length)?
                .chars()
                .chain("000".chars())
                .take(3)
                .collect();
            time += digits(&millis, 0, 3).filter(|_| length > 0)?;
            rest = fraction.get(length..)?;
        }
    }
    let offset = if rest.is_empty() { 0 } else { offset(rest)? };
    Some(midnight + time - offset)
}

/// `Z`, `+02`, `+0200` or `+02:00` in milliseconds.
fn offset(text: &str) -> Option<i64> {
    if text == "Z" || text == "z" {
        return Some(0);
    }
    let clock = text.strip_prefix(['+', '-'])?;
    let hours = digits(clock, 0, 2).filter(|hours| *hours <= 23)?;
    let tail = clock.get(2..)?;
    let minutes = match tail.strip_prefix(':').unwrap_or(tail) {
        "" if tail.is_empty() => 0,
        minutes if minutes.len() == 2 => digits(minutes, 0, 2).filter(|minutes| *minutes <= 59)?,
        _ => return None,
    };
    let size = hours * HOUR + minutes * MINUTE;
    Some(if text.starts_with('-') { -size } else { size })
}

fn digits(text: &str, from: usize, length: usize) -> Option<i64> {
    let part = text.get(from..from.checked_add(length)?)?;
    let all = part.bytes().all(|byte| byte.is_ascii_digit());
    all.then(|| part.parse().ok())?
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01. Counting years from March puts the leap day last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    year * 365 + leap_days + day_of_year - 719_468
}

/// A time of day on a date, seen from an offset.
struct Moment {
    year: i64,
    month: i64,
    day: i64,
    /// Days since 1970.
    days: i64,
    /// Milliseconds since midnight.
    time: i64,
    /// Milliseconds since 1970, in UTC.
    instant: i64,
    offset: i64,
}

impl Moment {
    fn new(instant: i64, offset: i64) -> Option<Moment> {
        let local = instant.checked_add(offset)?;
        let (count, time) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        if !(days(0, 1, 1)..=days(9999, 12, 31)).contains(&count) {
            return None;
        }
        // An estimate that is right or one too large, then at most eleven steps.
        let mut year = (count * 400).div_euclid(146_097) + 1970;
        while days(year, 1, 1) > count {
            year -= 1;
        }
        while days(year + 1, 1, 1) <= count {
            year += 1;
        }
        let mut month = 1;
        while month < 12 && days(year, month + 1, 1) <= count {
            month += 1;
        }
        Some(Moment {
            year,
            month,
            day: count - days(year, month, 1) + 1,
            days: count,
            time,
            instant,
            offset,
        })
    }

    fn format(&self, format: &str) -> Result<String, Fail> {
        let mut out = String::new();
        let mut chars = format.chars();
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let known = match chars.next() {
                // `%:z`
                Some(':') => chars.next().filter(|c| *c == 'z').map(|_| ':'),
                other => other,
            };
            if known.and_then(|code| self.write(code, &mut out)).is_none() {
                return Err(Fail::new(ErrorKind::Date, "the format of `date` has an unknown code")
                    .hint("known: %Y %y %m %d %e %j %H %I %M %S %L %f %p %B %b %A %a %u %w %F %T %R %s %z %:z %Z %%"));
            }
        }
        Ok(out)
    }

    /// Letters are codes, all else is text.
    fn write_all(&self, codes: &str, out: &mut String) -> Option<()> {
        for code in codes.chars() {
            if code.is_ascii_alphabetic() {
                self.write(code, out)?;
            } else {
                out.push(code);
            }
        }
        Some(())
    }

    fn write(&self, code: char, out: &mut String) -> Option<()> {
        let hour = self.time / HOUR;
        let minute = self.time / MINUTE % 60;
        let second = self.time / 1000 % 60;
        let weekday = (self.days + 4).rem_euclid(7);
        let (month, day) = (name(&MONTHS, self.month - 1), name(&WEEKDAYS, weekday));
        let zone = self.offset.abs();
        match code {
            'Y' => pad(out, self.year, 4),
            'y' => pad(out, self.year % 100, 2),
            'm' => pad(out, self.month, 2),
            'd' => pad(out, self.day, 2),
            'e' => {
                if self.day < 10 {
                    out.push(' ');
                }
                pad(out, self.day, 1);
            }
            'j' => pad(out, self.days - days(self.year, 1, 1) + 1, 3),
            'H' => pad(out, hour, 2),
            'I' => pad(out, (hour + 11) % 12 + 1, 2),
            'M' => pad(out, minute, 2),
            'S' => pad(out, second, 2),
            'L' => pad(out, self.time % 1000, 3),
            'f' => pad(out, self.time % 1000 * 1000, 6),
            'p' => out.push_str(if hour < 12 { "AM" } else { "PM" }),
            'B' => out.push_str(month),
            'b' => out.push_str(month.get(..3)?),
            'A' => out.push_str(day),
            'a' => out.push_str(day.get(..3)?),
            'u' => pad(out, (weekday + 6) % 7 + 1, 1),
            'w' => pad(out, weekday, 1),
            'F' => return self.write_all("Y-m-d", out),
            'T' => return self.write_all("H:M:S", out),
            'R' => return self.write_all("H:M", out),
            's' => pad(out, self.instant.div_euclid(1000), 1),
            'Z' if zone == 0 => out.push_str("UTC"),
            'z' | ':' | 'Z' => {
                out.push(if self.offset < 0 { '-' } else { '+' });
                pad(out, zone / HOUR, 2);
                if code != 'z' {
                    out.push(':');
                }
                pad(out, zone / MINUTE % 60, 2);
            }
            '%' => out.push('%'),
            _ => return None,
        }
        Some(())
    }
}

fn name(names: &[&'static str], index: i64) -> &'static str {
    let name = usize::try_from(index)
        .ok()
        .and_then(|index| names.get(index));
    name.copied().unwrap_or("")
}

/// A number with zeros in front up to the width.
fn pad(out: &mut String, number: i64, width: usize) {
    let digits = number.to_string();
    for _ in digits.len()..width {
        out.push('0');
    }
    out.push_str(&digits);
}

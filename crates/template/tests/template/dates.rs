//! The filter `date`.

use mnemograph_template::ErrorKind::*;
use mnemograph_template::Options;
use serde_json::json;

use crate::support::{check, check_fails, parse, render};

#[test]
fn dates() {
    check(&[
        (
            "{{ when|date }} {{ when|date('%Y/%m/%d %H:%M:%S.%L') }}",
            "2026-03-04 2026/03/04 03:06:07.089",
        ),
        (
            "{{ when|date('%F %T %z', '+02:00') }} {{ when|date('%R %:z %Z', tz='-0330') }}",
            "2026-03-04 05:06:07 +0200 23:36 -03:30 -03:30",
        ),
        (
            "{{ 0|date('%FT%T%:z %Z %s') }} {{ 86399999|date('%T.%f') }} {{ -1|date('%F %T.%L') }}",
            "1970-01-01T00:00:00+00:00 UTC 0 23:59:59.999000 1969-12-31 23:59:59.999",
        ),
        (
            "{{ '2024-02-29'|date('%A %a %B %b %e %j %u %w %y %%') }}",
            "Thursday Thu February Feb 29 060 4 4 24 %",
        ),
        (
            "{{ '2023-01-01T00:30:00Z'|date('%a %u %w %I:%M %p') }} {{ '2023-01-01 12:00'|date('%I %p') }}",
            "Sun 7 0 12:30 AM 12 PM",
        ),
        (
            "{{ '2024-12-31T23:59:60Z'|date('%F %T') }} {{ '2024-01-01t01:02:03.4567z'|date('%T.%L') }}",
            "2025-01-01 00:00:00 01:02:03.456",
        ),
        (
            "{{ '0000-01-01'|date('%F %j') }} {{ '9999-12-31T23:59:59Z'|date('%F %T') }} {{ 1.9|date('%L') }}",
            "0000-01-01 001 9999-12-31 23:59:59 001",
        ),
        (
            "{{ 951782400000|date }} {{ '1900-03-01'|date('%s') }} {{ ' 2026-01-31 '|date('%d') }} {{ 0|date('', 'GMT') }}",
            "2000-02-29 -2203891200 31 ",
        ),
        (
            "{{ '2026-01-01T00:00:00+0130'|date('%T', 'Z') }} {{ '2026-01-01T00:00:00-05'|date('%T') }}",
            "22:30:00 05:00:00",
        ),
    ]);
    check_fails(&[
        ("{{ 'today'|date }}", Date, 12, "not a date"),
        ("{{ '2023-02-29'|date }}", Date, 17, "not a date"),
        ("{{ '2023-13-01'|date }}", Date, 17, "not a date"),
        ("{{ '2023-01-01T24:00Z'|date }}", Date, 24, "not a date"),
        ("{{ '2023-01-01T10:00:61Z'|date }}", Date, 27, "not a date"),
        ("{{ '2023-01-01T10:00:00.Z'|date }}", Date, 28, "not a date"),
        ("{{ '2023-01-01T10:00:00+'|date }}", Date, 27, "not a date"),
        (
            "{{ '2023-01-01T10:00:00+2:00'|date }}",
            Date,
            31,
            "not a date",
        ),
        ("{{ 'ü023-01-01'|date }}", Date, 17, "not a date"),
        ("{{ 0|date('%Q') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%:H') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%F', 'Europe/Berlin') }}", Date, 6, "time zone"),
        ("{{ 1e15|date }}", Date, 9, "years 0000 to 9999"),
        ("{{ big|date }}", Date, 8, "years 0000 to 9999"),
        ("{{ huge|date }}", Date, 9, "out of range"),
        ("{{ 1e300|date }}", Overflow, 10, "64-bit"),
        (
            "{{ '0000-01-01'|date('%F', '-01:00') }}",
            Date,
            17,
            "years 0000 to 9999",
        ),
        ("{{ list|date }}", Type, 9, "not a list"),
    ]);
    let error = render("{{ 0|date('%F', 'Europe/Berlin') }}").unwrap_err();
    assert!(error.hint.unwrap().contains("+02:00"));
}

#[test]
fn every_day_of_a_cycle_of_the_calendar_is_right() {
    // Counting day by day from 1 January 1600 to 2000 is the definition of the calendar.
    let (mut year, mut month, mut day, mut weekday) = (1600, 1, 1, 6);
    let start = -135_140; // days from 1970 to 1600
    let template = parse("{{ time|date('%F %w') }} {{ day|date('%s') }}");
    for offset in 0..=146_097 {
        // The ends of months are where it could go wrong.
        if day == 1 || day > 27 {
            let date = format!("{year:04}-{month:02}-{day:02}");
            let names = json!({"time": (start + offset) * 86_400_000i64, "day": date});
            let rendered = template.render(names.as_object().unwrap(), &Options::default());
            let expected = format!("{date} {weekday} {}", (start + offset) * 86_400);
            assert_eq!(rendered.unwrap().text, expected);
        }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        weekday = (weekday + 1) % 7;
        day += 1;
        if day > length {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
    }
    assert_eq!((year, month, day), (2000, 1, 2));
}

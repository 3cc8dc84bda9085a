//! The world's clock, which stands still unless told.
//!
//! Responsible for: what time it is, and writing and reading RFC 3339. Not for: what happens at a time (`world`). Serves
//! control-plane 2.0 (timestamps).

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Monday, 2026-10-12T08:21:36.440Z: where a world begins.
pub const BEGINNING: i64 = 1_791_793_296_440;

/// Where the time comes from.
#[derive(Clone, Debug)]
pub enum Clock {
    /// A time that only [`Clock::advance`] and writes move.
    Fixed {
        /// Now, in Unix milliseconds.
        now: i64,
        /// How far each write to a task moves it.
        step: i64,
    },
    /// The machine's time, and how far ahead of it, or behind it, this world is.
    Machine {
        /// Milliseconds on top of the machine's time.
        ahead: i64,
    },
}

impl Default for Clock {
    fn default() -> Self {
        Self::Fixed { now: BEGINNING, step: 0 }
    }
}

impl Clock {
    /// The machine's clock.
    pub fn machine() -> Self {
        Self::Machine { ahead: 0 }
    }

    /// This time, from now on at the machine's pace: what was due in an hour is due in an hour.
    #[must_use]
    pub fn started(&self) -> Self {
        Self::Machine { ahead: self.now() - Self::machine().now() }
    }

    /// Now, in Unix milliseconds.
    pub fn now(&self) -> i64 {
        match self {
            Self::Fixed { now, .. } => *now,
            Self::Machine { ahead } => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                i64::try_from(since.as_millis()).unwrap_or(i64::MAX).saturating_add(*ahead)
            }
        }
    }

    /// Whether the time moves by itself.
    pub fn runs(&self) -> bool {
        matches!(self, Self::Machine { .. })
    }

    /// Moves the time forward.
    pub fn advance(&mut self, by: Duration) {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        match self {
            Self::Fixed { now, .. } => *now = now.saturating_add(by),
            Self::Machine { ahead } => *ahead = ahead.saturating_add(by),
        }
    }

    /// Moves the time to a later moment; an earlier one changes nothing.
    pub(crate) fn reach(&mut self, moment: i64) {
        if let Self::Fixed { now, .. } = self {
            *now = (*now).max(moment);
        }
    }

    /// Notes that a task was written.
    pub(crate) fn wrote(&mut self) {
        if let Self::Fixed { now, step } = self {
            *now += *step;
        }
    }
}

/// RFC 3339 in UTC, with up to three digits of a second and no trailing zeros among them.
pub fn rfc3339(moment: i64) -> String {
    let (seconds, millis) = (moment.div_euclid(1000), moment.rem_euclid(1000));
    let (hour, minute, second) =
        (seconds.rem_euclid(86_400) / 3600, seconds.rem_euclid(3600) / 60, seconds.rem_euclid(60));
    let fraction = if millis == 0 { String::new() } else { format!(".{millis:03}").trim_end_matches('0').to_owned() };
    format!("{}T{hour:02}:{minute:02}:{second:02}{fraction}Z", day(moment))
}

/// The UTC day of a moment, as `YYYY-MM-DD`.
pub fn day(moment: i64) -> String {
    let (year, month, day) = civil(moment.div_euclid(86_400_000));
    format!("{year:04}-{month:02}-{day:02}")
}

/// The moment of an RFC 3339 text, or none when it is malformed.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        (digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())?
    };
    let at = |index: usize, byte: u8| bytes.get(index) == Some(&byte);
    if !(at(4, b'-') && at(7, b'-') && (at(10, b'T') || at(10, b't')) && at(13, b':') && at(16, b':')) {
        return None;
    }
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let days = days_of(year, month, day);
    if civil(days) != (year, month, day) {
        return None;
    }
    let mut rest = 19;
    let mut millis = 0;
    if at(rest, b'.') {
        let digits = text[rest + 1..].bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let three: String = text[rest + 1..rest + 1 + digits].chars().chain("000".chars()).take(3).collect();
        millis = three.parse().ok()?;
        rest += 1 + digits;
    }
    let offset = match text.get(rest..)? {
        "Z" | "z" => 0,
        zone if zone.len() == 6 && (zone.starts_with('+') || zone.starts_with('-')) && at(rest + 3, b':') => {
            let minutes = number(rest + 1, rest + 3)? * 60 + number(rest + 4, rest + 6)?;
            if zone.starts_with('-') { -minutes } else { minutes }
        }
        _ => return None,
    };
    Some(((days * 86_400 + hour * 3600 + minute * 60 + second) - offset * 60) * 1000 + millis)
}

/// Year, month and day of a count of days since 1970-01-01 (proleptic Gregorian, years that begin in March).
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The count of days since 1970-01-01 of a date.
fn days_of(year: i64, month: i64, day: i64) -> i64 {
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let march_month = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * march_month + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::{BEGINNING, Clock, day, parse_rfc3339, rfc3339};
    use std::time::Duration;

    #[test]
    fn times_are_written_without_trailing_zeros() {
        assert_eq!(rfc3339(BEGINNING), "2026-10-12T08:21:36.44Z");
        assert_eq!(rfc3339(1_791_793_800_000), "2026-10-12T08:30:00Z");
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(day(951_782_400_000), "2000-02-29");
        assert_eq!(rfc3339(-1), "1969-12-31T23:59:59.999Z");
    }

    #[test]
    fn times_are_read_back() {
        for moment in [BEGINNING, 0, 951_782_400_000, 4_102_444_799_001] {
            assert_eq!(parse_rfc3339(&rfc3339(moment)), Some(moment));
        }
        assert_eq!(parse_rfc3339("2026-10-12T10:21:36.44+02:00"), Some(BEGINNING));
        assert_eq!(parse_rfc3339("2026-10-12T08:21:36.4409999Z"), Some(BEGINNING));
        for wrong in [
            "",
            "2026-10-12",
            "2026-10-12 08:21:36Z",
            "2026-02-30T00:00:00Z",
            "2026-10-12T24:00:00Z",
            "2026-10-12T08:21:36",
            "2026-10-12T08:21:36.Z",
            "2026-10-12T08:21:36+0200",
            "漢字漢字漢字漢字",
        ] {
            assert_eq!(parse_rfc3339(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_fixed_clock_moves_when_told() {
        let mut clock = Clock::default();
        clock.advance(Duration::from_secs(60));
        assert_eq!(clock.now(), BEGINNING + 60_000);
        clock.reach(BEGINNING);
        assert_eq!(clock.now(), BEGINNING + 60_000);
    }

    #[test]
    fn a_started_clock_goes_on_from_where_it_stood() {
        let clock = Clock::default().started();
        assert!(clock.runs());
        assert!((BEGINNING..BEGINNING + 60_000).contains(&clock.now()), "{}", clock.now());
    }
}

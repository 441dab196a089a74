//! A moment to which the times of files are compared, and whether the clock has run evenly since.

use std::time::{Duration, Instant, SystemTime};

pub struct Moment {
    wall: SystemTime,
    steady: Instant,
}

/// File times come from a clock that ticks this coarsely at worst.
const CLOCK_TICK: Duration = Duration::from_millis(20);

impl Moment {
    pub fn now() -> Moment {
        Moment {
            wall: SystemTime::now(),
            steady: Instant::now(),
        }
    }

    /// Whether a file with this time was certainly written before.
    pub fn is_after(&self, time: SystemTime) -> bool {
        time + CLOCK_TICK < self.wall
    }

    /// Whether somebody has set the clock since: then times of files say nothing about what came first.
    pub fn has_clock_jumped(&self) -> bool {
        let nanoseconds = |time: Duration| i128::try_from(time.as_nanos()).unwrap_or(i128::MAX);
        let wall = match self.wall.elapsed() {
            Ok(time) => nanoseconds(time),
            Err(error) => -nanoseconds(error.duration()),
        };
        let now = Instant::now();
        let steady = nanoseconds(now.saturating_duration_since(self.steady))
            - nanoseconds(self.steady.saturating_duration_since(now));
        wall.abs_diff(steady) > CLOCK_TICK.as_nanos()
    }

    #[cfg(test)]
    pub fn in_the_future(after: Duration) -> Moment {
        Moment {
            wall: SystemTime::now() + after,
            steady: Instant::now() + after,
        }
    }

    #[cfg(test)]
    pub fn in_the_past(before: Duration) -> Moment {
        Moment {
            wall: SystemTime::now() - before,
            steady: Instant::now() - before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_was_set_is_noticed() {
        let now = Moment::now();
        assert!(!now.has_clock_jumped());
        let hour = Duration::from_secs(3600);
        for wall in [now.wall - hour, now.wall + hour] {
            let moment = Moment { wall, ..now };
            assert!(moment.has_clock_jumped());
        }
    }

    #[test]
    fn what_was_written_at_the_same_time_may_have_been_written_later() {
        let now = Moment::now();
        assert!(now.is_after(now.wall - Duration::from_secs(1)));
        assert!(!now.is_after(now.wall));
        assert!(!now.is_after(now.wall + Duration::from_secs(1)));
    }
}

//! When a failed call is made again.

use crate::error::Failure;
use mnemograph_graph::Retry;

/// First pause before a model's own retries, doubled each time.
const BASE_DELAY_MS: u64 = 1_000;
/// The longest pause.
const MAX_DELAY_MS: u64 = 30_000;

/// The pause before the next attempt, or `None` if there is none. `attempt` counts those made, from 1.
///
/// A failure that calls itself retryable is repeated `max_retries` times, after the pause that the
/// provider asks for or 1 s, 2 s, 4 s …; the node's own `on_error.retry` adds to that for its codes.
/// A provider that asks for more than the longest pause is not asked again.
pub(crate) fn delay_ms(
    failure: &Failure,
    attempt: u32,
    max_retries: u32,
    policy: Option<&Retry>,
) -> Option<u64> {
    if failure.retryable && attempt <= max_retries {
        let doubled = BASE_DELAY_MS.saturating_mul(1 << attempt.saturating_sub(1).min(16));
        let delay = failure.retry_after_ms.unwrap_or(doubled.min(MAX_DELAY_MS));
        return (delay <= MAX_DELAY_MS).then_some(delay);
    }
    let policy = policy?;
    let code = failure.code.as_deref().unwrap_or("E_LLM");
    let wanted = policy.on.is_empty() || policy.on.iter().any(|on| on == code);
    let own = if failure.retryable {
        attempt.saturating_sub(max_retries)
    } else {
        attempt
    };
    if !wanted || own == 0 || own > policy.max {
        return None;
    }
    let factor = policy
        .factor
        .max(1.0)
        .powi(i32::try_from(own - 1).unwrap_or(i32::MAX));
    let delay = (policy.delay_ms as f64 * factor).min(policy.max_delay_ms as f64);
    Some(delay as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(retryable: bool, retry_after_ms: Option<u64>) -> Failure {
        Failure {
            retryable,
            retry_after_ms,
            ..Failure::new("E_LLM", "busy")
        }
    }

    #[test]
    fn retryable_failures_wait_longer_each_time_and_then_stop() {
        let delays: Vec<_> = (1..=4)
            .map(|n| delay_ms(&failure(true, None), n, 3, None))
            .collect();
        assert_eq!(delays, [Some(1_000), Some(2_000), Some(4_000), None]);
    }

    #[test]
    fn the_providers_wish_is_followed_unless_it_is_too_long() {
        assert_eq!(delay_ms(&failure(true, Some(7)), 1, 1, None), Some(7));
        assert_eq!(delay_ms(&failure(true, Some(60_000)), 1, 1, None), None);
    }

    #[test]
    fn the_nodes_own_policy_covers_its_codes_only() {
        let policy = |on: &[&str]| Retry {
            max: 2,
            delay_ms: 10,
            factor: 3.0,
            max_delay_ms: 20,
            on: on.iter().map(|code| (*code).to_owned()).collect(),
        };
        let at = |n, policy: &Retry| delay_ms(&failure(false, None), n, 2, Some(policy));
        assert_eq!(
            [
                at(1, &policy(&[])),
                at(2, &policy(&[])),
                at(3, &policy(&[]))
            ],
            [Some(10), Some(20), None]
        );
        assert_eq!(at(1, &policy(&["E_TOOL"])), None);
    }
}

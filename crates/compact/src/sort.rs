//! Stable sorting by one implementation for all types: numbers are sorted, and the items then follow them.

use std::cmp::Ordering;

/// The places of `len` things in ascending order; equal ones keep theirs.
#[must_use]
pub fn order(len: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..len).collect();
    order.sort_by(|a, b| compare(*a, *b));
    order
}

/// Sorts a list; equal items keep their order.
pub fn sort_by<T>(items: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    let compare = |a: usize, b: usize| match (items.get(a), items.get(b)) {
        (Some(a), Some(b)) => compare(a, b),
        _ => Ordering::Equal,
    };
    let order = order(items.len(), &compare);
    arrange(&order, &mut |a, b| items.swap(a, b));
}

/// Exchanges things until each place holds what was at the place that `order` names.
fn arrange(order: &[usize], swap: &mut dyn FnMut(usize, usize)) {
    let mut goals = vec![0; order.len()];
    for (goal, from) in order.iter().enumerate() {
        if let Some(slot) = goals.get_mut(*from) {
            *slot = goal;
        }
    }
    for place in 0..goals.len() {
        // Each exchange brings one thing to its goal for good.
        while let Some(goal) = goals.get(place).copied().filter(|goal| *goal != place) {
            swap(place, goal);
            goals.swap(place, goal);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorts_as_the_standard_library_does(items: Vec<(u8, u16)>) {
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by(&mut ours, |a, b| a.0.cmp(&b.0));
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}

//! "Did you mean …?": the nearest of the known names, if it is near enough to be meant.

/// Finds near names within a budget, so that a document with thousands of mistakes is still judged at once.
pub(crate) struct Suggest {
    left: usize,
}

/// Comparisons that one document is worth.
const BUDGET: usize = 100_000;
/// Longer names are not compared.
const MAX_LENGTH: usize = 64;

impl Suggest {
    pub(crate) fn new() -> Self {
        Suggest { left: BUDGET }
    }

    /// The nearest candidate within a distance of a third of the name's length, three at most; the first of equals.
    pub(crate) fn nearest<'a>(
        &mut self,
        name: &str,
        candidates: impl Iterator<Item = &'a str>,
    ) -> Option<&'a str> {
        if name.len() > MAX_LENGTH {
            return None;
        }
        let wanted: Vec<char> = name.to_lowercase().chars().collect();
        let mut limit = (wanted.len() / 3).clamp(1, 3);
        let mut best = None;
        for candidate in candidates {
            if candidate.len() > MAX_LENGTH {
                continue;
            }
            self.left = self.left.checked_sub(1)?;
            let other: Vec<char> = candidate.to_lowercase().chars().collect();
            if wanted.len().abs_diff(other.len()) > limit {
                continue;
            }
            let distance = distance(&wanted, &other);
            if distance <= limit {
                best = Some(candidate);
                if distance == 0 {
                    break;
                }
                limit = distance - 1;
            }
        }
        best
    }
}

/// Edits (insert, delete, replace, swap of neighbours) that make one text of the other.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(last.len());
        row.push(i + 1);
        for (j, to) in b.iter().enumerate() {
            let at =
                |row: &[usize], index: usize| row.get(index).copied().unwrap_or(usize::MAX / 2);
            let replace = at(&last, j) + usize::from(from != to);
            let mut edits = replace.min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(to) && b.get(j - 1) == Some(from);
            if swapped {
                edits = edits.min(at(&before, j - 1) + 1);
            }
            row.push(edits);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

/// The nearest of a few names to one that is not among them, if it is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    Suggest::new().nearest(name, candidates)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_suggested_and_far_ones_are_not() {
        let known = ["ai_agent", "llm_model", "tool", "reply"];
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(
                Suggest::new().nearest(name, known.into_iter()),
                expected,
                "{name}"
            );
        };
        check("ai_agnet", Some("ai_agent"));
        check("AI_Agent", Some("ai_agent"));
        check("aiagent", Some("ai_agent"));
        check("tol", Some("tool"));
        check("repyl", Some("reply"));
        check("webhook", None);
        check("", None);
        check(&"a".repeat(10_000), None);
    }

    #[test]
    fn the_budget_ends_the_search() {
        let mut suggest = Suggest { left: 1 };
        assert_eq!(suggest.nearest("tol", ["tool"].into_iter()), Some("tool"));
        assert_eq!(suggest.nearest("tol", ["tool"].into_iter()), None);
    }
}

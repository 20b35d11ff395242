//! What holds for whatever a run tells.

use mnemograph_engine::Effect;
use proptest::prelude::*;

/// What a run has told so far.
#[derive(Default)]
pub(crate) struct Told {
    seq: u64,
    /// How many terminal events there were: one at most.
    pub(crate) ended: usize,
}

impl Told {
    /// Judges what one driver of the run was told: numbers rise, nothing follows an end. Gives how many ends there were.
    pub(crate) fn follow(&mut self, effects: &[Effect]) -> Result<usize, TestCaseError> {
        let mut finished = 0;
        for effect in effects {
            prop_assert_eq!(finished, 0, "nothing follows the end");
            match effect {
                Effect::Emit(event) => {
                    prop_assert!(event.seq > self.seq, "seq increases");
                    self.seq = event.seq;
                    prop_assert_eq!(self.ended, 0, "no event follows the terminal one");
                    self.ended += usize::from(event.data.is_terminal());
                }
                Effect::Finish(_) => finished += 1,
                _ => {}
            }
        }
        Ok(finished)
    }
}

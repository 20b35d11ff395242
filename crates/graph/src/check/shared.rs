//! Memories that two agents use at the same time.

use super::Draft;
use crate::problem::Problems;

pub(super) fn judge(_draft: &Draft, _problems: &mut Problems) {}

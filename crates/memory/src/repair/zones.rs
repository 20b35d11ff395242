//! Rounds that are not shown as they are (D34): failed and blocked ones, told from the messages alone (0-rulings 0.4).

use mnemograph_compact::SortedMap;

use super::pairing::{Answer, Pairs};
use crate::message::{Message, Role, Status};

/// Marks of the synthetic messages that close such rounds.
pub(super) const FAILED: &str = "failed";
pub(super) const BLOCKED: &str = "blocked";

/// The messages of one failed or blocked round.
#[derive(Debug)]
pub(super) struct Zone {
    pub(super) blocked: bool,
    /// Its last message that is no tool result: the closing message comes behind it and its results.
    pub(super) last: Option<usize>,
    /// The closing message is there already: this list has been repaired before.
    closed: bool,
    /// A tool has run: a failed round is then shown, so that its effect is not repeated.
    finished_tool: bool,
    pub(super) error_code: Option<String>,
}

#[derive(Debug)]
pub(super) struct Zones {
    zones: Vec<Zone>,
    /// The zone of each message.
    of: Vec<Option<usize>>,
}

impl Zones {
    pub(super) fn is_empty(&self) -> bool {
        self.zones.is_empty()
    }

    pub(super) fn of(&self, place: usize) -> Option<&Zone> {
        let zone = self.of.get(place).copied().flatten()?;
        self.zones.get(zone)
    }

    /// Whether the message's round lets it be seen.
    pub(super) fn shows(&self, place: usize, message: &Message) -> bool {
        match self.of(place) {
            None => true,
            Some(zone) if zone.blocked => {
                message.role == Role::User || message.synthetic() == Some(BLOCKED)
            }
            Some(zone) => zone.finished_tool,
        }
    }
}

/// A round is told by its id; messages without one form a round as long as they follow each other with the same status,
/// and a user message begins a new one. Tool messages join a round but never begin or end one: they move.
pub(super) fn find(messages: &[Message], pairs: &Pairs) -> Zones {
    let mut zones: Vec<Zone> = Vec::new();
    let mut of = Vec::with_capacity(messages.len());
    let mut by_round: SortedMap<(&str, Status), usize> = SortedMap::new();
    let mut loose: Option<(usize, Status)> = None;
    for (place, message) in messages.iter().enumerate() {
        let open = loose
            .filter(|(_, status)| *status == message.status)
            .map(|(zone, _)| zone);
        let zone = match (message.status, &message.round) {
            (Status::Complete | Status::Aborted | Status::Incomplete, _) => None,
            (status, Some(round)) => {
                Some(*by_round.get_or_insert_with((round, status), || add(&mut zones, status)))
            }
            (_, None) if message.role == Role::Tool => open,
            (status, None) => {
                let zone = open
                    .filter(|_| message.role != Role::User)
                    .unwrap_or_else(|| add(&mut zones, status));
                Some(zone)
            }
        };
        if message.role != Role::Tool {
            loose = zone
                .filter(|_| message.round.is_none())
                .map(|zone| (zone, message.status));
        }
        of.push(zone);
        if let Some(zone) = zone.and_then(|zone| zones.get_mut(zone)) {
            zone.enter(place, message, pairs);
        }
    }
    Zones { zones, of }
}

fn add(zones: &mut Vec<Zone>, status: Status) -> usize {
    zones.push(Zone {
        blocked: status == Status::Blocked,
        last: None,
        closed: false,
        finished_tool: false,
        error_code: None,
    });
    zones.len() - 1
}

impl Zone {
    /// Whether it is shown and not closed yet.
    pub(super) fn wants_closing(&self) -> bool {
        !self.closed && (self.blocked || self.finished_tool)
    }

    fn enter(&mut self, place: usize, message: &Message, pairs: &Pairs) {
        if message.role != Role::Tool {
            self.last = Some(place);
        }
        let mark = if self.blocked { BLOCKED } else { FAILED };
        self.closed |= message.synthetic() == Some(mark);
        let mut calls = pairs.calls.get(place).into_iter().flatten();
        self.finished_tool |= calls.any(|call| call.answer != Answer::Missing);
        if message.error_code.is_some() {
            self.error_code.clone_from(&message.error_code);
        }
    }
}

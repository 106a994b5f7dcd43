//! What a ledger's notes are about: a PE and the way operations go to it. What goes through windows and what goes by
//! message is completed by different means, and messages keep their order by themselves.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum By {
    Window,
    Message,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Party {
    pub(super) pe: u32,
    pub(super) by: By,
}

impl Party {
    /// As the ledger knows it.
    pub(super) fn number(self) -> u32 {
        self.pe * 2 + u32::from(self.by == By::Message)
    }

    pub(super) fn of_number(number: u32) -> Party {
        Party { pe: number / 2, by: if number % 2 == 1 { By::Message } else { By::Window } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::ledger::MAX_KEYS;

    #[test]
    fn there_and_back() {
        for pe in [0, 1, 77, MAX_KEYS / 2 - 1] {
            for by in [By::Window, By::Message] {
                let party = Party { pe, by };
                assert!(party.number() < MAX_KEYS);
                assert_eq!(Party::of_number(party.number()), party);
            }
        }
    }
}

//! What a ledger's notes are about: a PE and the way operations go to it. What goes through windows and what goes by
//! message is completed by different means, and messages keep their order by themselves.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Path {
    Window,
    Message,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathKey {
    pub(super) pe: u32,
    pub(super) by: Path,
}

impl PathKey {
    /// As the ledger knows it.
    pub(super) fn number(self) -> u32 {
        self.pe * 2 + u32::from(self.by == Path::Message)
    }

    pub(super) fn of_number(number: u32) -> PathKey {
        PathKey { pe: number / 2, by: if number % 2 == 1 { Path::Message } else { Path::Window } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::ledger::MAX_KEYS;

    #[test]
    fn there_and_back() {
        for pe in [0, 1, 77, MAX_KEYS / 2 - 1] {
            for by in [Path::Window, Path::Message] {
                let key = PathKey { pe, by };
                assert!(key.number() < MAX_KEYS);
                assert_eq!(PathKey::of_number(key.number()), key);
            }
        }
    }
}

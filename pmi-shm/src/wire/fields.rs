//! The pairs of one message, in order; a name may come twice.

use super::{Malformed, excerpt};

/// Command and pairs of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub cmd: Vec<u8>,
    pub pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Fields {
    pub fn find(&self, name: &str) -> Option<&[u8]> {
        self.pairs.iter().find(|(n, _)| n == name.as_bytes()).map(|(_, v)| v.as_slice())
    }

    /// A field that must be there.
    pub fn need(&self, name: &str) -> Result<&[u8], Malformed> {
        let missing = || Malformed(format!("{} has no field {name}", excerpt(&self.cmd)));
        self.find(name).ok_or_else(missing)
    }

    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, Malformed> {
        self.need(name).map(<[u8]>::to_vec)
    }

    /// An optional field, empty when it is missing.
    pub fn or_empty(&self, name: &str) -> Vec<u8> {
        self.find(name).unwrap_or_default().to_vec()
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, Malformed> {
        let value = self.need(name)?;
        number(value)
            .ok_or_else(|| Malformed(format!("{}: {name} is {}, not a number", excerpt(&self.cmd), excerpt(value))))
    }

    /// An optional number: missing and unreadable are the same.
    pub fn maybe<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.find(name).and_then(number)
    }

    /// `TRUE` and `FALSE` are PMI-2's words; 1 is understood too.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.find(name), Some(b"TRUE" | b"true" | b"1"))
    }

    pub fn rc(&self) -> Option<i32> {
        self.maybe("rc")
    }
}

/// A decimal number, blanks around it allowed.
pub(super) fn number<T: std::str::FromStr>(bytes: &[u8]) -> Option<T> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

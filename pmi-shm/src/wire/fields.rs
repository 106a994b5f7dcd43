//! The fields of one message, in order. A name may occur more than once.

use super::{Malformed, excerpt};

/// The command and the fields of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields {
    pub cmd: Vec<u8>,
    pub pairs: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Fields {
    pub fn find(&self, name: &str) -> Option<&[u8]> {
        self.pairs.iter().find(|(n, _)| n == name.as_bytes()).map(|(_, v)| v.as_slice())
    }

    /// The value of a required field.
    pub fn need(&self, name: &str) -> Result<&[u8], Malformed> {
        let missing = || Malformed(format!("{} has no field {name}", excerpt(&self.cmd)));
        self.find(name).ok_or_else(missing)
    }

    pub fn bytes(&self, name: &str) -> Result<Vec<u8>, Malformed> {
        self.need(name).map(<[u8]>::to_vec)
    }

    /// The value of an optional field; empty if the field is missing.
    pub fn or_empty(&self, name: &str) -> Vec<u8> {
        self.find(name).unwrap_or_default().to_vec()
    }

    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, Malformed> {
        let value = self.need(name)?;
        number(value)
            .ok_or_else(|| Malformed(format!("{}: {name} is {}, not a number", excerpt(&self.cmd), excerpt(value))))
    }

    /// The number in an optional field; `None` if the field is missing or no number.
    pub fn maybe<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.find(name).and_then(number)
    }

    /// Whether a field is true. PMI-2 writes `TRUE` and `FALSE`; 1 is accepted too.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.find(name), Some(b"TRUE" | b"true" | b"1"))
    }

    pub fn rc(&self) -> Option<i32> {
        self.maybe("rc")
    }
}

/// A decimal number, perhaps with blanks around it.
pub(super) fn number<T: std::str::FromStr>(bytes: &[u8]) -> Option<T> {
    std::str::from_utf8(bytes).ok()?.trim().parse().ok()
}

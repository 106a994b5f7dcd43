//! A setting that is the name of a file.

use super::Read;

/// The name of a file; empty for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileName(pub(crate) String);

impl FileName {
    pub(super) const NONE: FileName = FileName(String::new());
}

impl Read for FileName {
    const EXPECTED: &'static str = "the name of a file";
    fn read(text: &str) -> Option<FileName> {
        Some(FileName(text.to_owned()))
    }
    fn show(&self) -> String {
        if self.0.is_empty() { "not set" } else { &self.0 }.to_owned()
    }
}

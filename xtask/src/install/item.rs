//! A file, a text or a link that is installed.

use std::path::PathBuf;

/// Something at a place below the prefix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Relative to the prefix.
    pub path: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A copy; a program if it is one.
    File(PathBuf),
    Text(String),
    /// A symbolic link to a name in the same directory, or to another of the prefix.
    Link(String),
}

impl Item {
    pub fn file(path: impl Into<String>, from: impl Into<PathBuf>) -> Item {
        Item { path: path.into(), content: Content::File(from.into()) }
    }

    pub fn text(path: impl Into<String>, text: impl Into<String>) -> Item {
        Item { path: path.into(), content: Content::Text(text.into()) }
    }

    pub fn link(path: impl Into<String>, to: impl Into<String>) -> Item {
        Item { path: path.into(), content: Content::Link(to.into()) }
    }
}

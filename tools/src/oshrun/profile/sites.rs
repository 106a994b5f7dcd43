//! Call sites as people read them: file and line where the program has debug information, else the symbol.

use super::parts::Place;
use addr2line::Loader;
use std::cell::RefCell;
use std::collections::HashMap;

#[derive(Default)]
pub struct Sites {
    /// The debug information of each file, if it has some.
    files: RefCell<HashMap<String, Option<Loader>>>,
    known: RefCell<HashMap<Place, String>>,
}

impl Sites {
    /// `heat2d.c:214 (exchange)`, `main+0x31f` of `heat2d`, or what is known.
    pub fn name(&self, place: &Place) -> String {
        self.known.borrow_mut().entry(place.clone()).or_insert_with(|| self.find(place)).clone()
    }

    fn find(&self, place: &Place) -> String {
        let mut files = self.files.borrow_mut();
        let loader = files.entry(place.file.clone()).or_insert_with(|| Loader::new(&place.file).ok());
        let short = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
        let plain = || match place.symbol.as_str() {
            "?" => format!("{}+{:#x}", short(&place.file), place.offset),
            symbol => format!("{symbol} in {}", short(&place.file)),
        };
        let Some(loader) = loader else { return plain() };
        let location = loader.find_location(place.offset).ok().flatten();
        let function = || loader.find_symbol(place.offset).map(str::to_string);
        match location {
            Some(l) if l.file.is_some() => {
                let line = l.line.map_or(String::new(), |n| format!(":{n}"));
                let of = function().map_or(String::new(), |f| format!(" ({f})"));
                format!("{}{line}{of}", short(l.file.unwrap_or_default()))
            }
            _ => function().map_or_else(plain, |f| format!("{f} in {}", short(&place.file))),
        }
    }
}

//! Pages in the language of man(7).

use super::source::Block;

pub struct Troff(String);

impl Troff {
    /// Begins a page. No date stands in it: the same source gives the same page.
    pub fn page(name: &str, section: u8, product: &str, book: &str) -> Troff {
        // No hyphenation and no spreading of words: names must stay as they are.
        let title = escape(&name.to_uppercase());
        Troff(format!(".TH \"{title}\" {section} \"\" \"{product}\" \"{book}\"\n.nh\n.ad l\n"))
    }

    pub fn heading(&mut self, text: &str) {
        self.0 += &format!(".SH {}\n", escape(&text.to_uppercase()));
    }

    /// A line that is troff already.
    pub fn line(&mut self, troff: &str) {
        // A control character at the beginning would make it a request.
        if troff.starts_with(['.', '\'']) {
            self.0 += "\\&";
        }
        self.0 += troff;
        self.0.push('\n');
    }

    /// A paragraph begins, whose text follows.
    pub fn new_paragraph(&mut self) {
        self.0 += ".PP\n";
    }

    pub fn paragraph(&mut self, text: &str) {
        self.new_paragraph();
        self.line(&inline(text));
    }

    pub fn item(&mut self, term: &str, text: &str) {
        self.0 += ".TP\n";
        // Bare words are parameters, in italics as in the synopsis.
        let bare = term.split(", ").all(|n| !n.contains([' ', '`', '*']));
        let italic = |n: &str| format!("\\fI{}\\fP", code(n));
        self.line(&if bare { term.split(", ").map(italic).collect::<Vec<_>>().join(", ") } else { inline(term) });
        self.line(&inline(text));
    }

    /// Lines of troff that are not filled.
    pub fn verbatim(&mut self, lines: impl IntoIterator<Item = String>) {
        self.0 += ".nf\n";
        for line in lines {
            self.line(&line);
        }
        self.0 += ".fi\n";
    }

    pub fn block(&mut self, block: &Block) {
        match block {
            Block::Heading(text) => self.heading(text),
            Block::Paragraph(text) => self.paragraph(text),
            Block::Item(term, text) => self.item(term, text),
            Block::Bullet(text) => {
                self.0 += ".IP \\(bu 2\n";
                self.line(&inline(text));
            }
            Block::Code(lines) => {
                self.0 += ".PP\n.RS 4\n";
                self.verbatim(lines.iter().map(|l| code(l)));
                self.0 += ".RE\n";
            }
            Block::Settings | Block::Fortran => {}
        }
    }

    pub fn finish(self) -> String {
        self.0
    }
}

/// Plain text.
pub fn escape(text: &str) -> String {
    text.replace('\\', "\\e")
}

/// Text in which every character stays: `-` must not become a hyphen, nor quotes curly.
pub fn code(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' => out += "\\e",
            '-' => out += "\\-",
            '\'' => out += "\\(aq",
            '`' => out += "\\(ga",
            '^' => out += "\\(ha",
            '~' => out += "\\(ti",
            _ => out.push(c),
        }
    }
    out
}

/// `shmem_get(3)` with its name in bold.
pub fn reference(name: &str) -> String {
    let (name, section) = name.split_once('(').unwrap_or((name, ""));
    format!("\\fB{}\\fP({section}", code(name))
}

/// Text with `code` and *emphasis*.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 1 {
            out += &format!("\\fB{}\\fP", code(part));
            continue;
        }
        for (j, piece) in part.split('*').enumerate() {
            out += &if j % 2 == 1 { format!("\\fI{}\\fP", escape(piece)) } else { escape(piece) };
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_and_emphasis_become_fonts() {
        assert_eq!(inline("a `b-c` *d* e\\f"), "a \\fBb\\-c\\fP \\fId\\fP e\\ef");
    }

    #[test]
    fn no_text_becomes_a_request() {
        let mut t = Troff(String::new());
        t.paragraph(".so is text");
        t.verbatim(["'quoted".to_string()]);
        assert_eq!(t.finish(), ".PP\n\\&.so is text\n.nf\n\\&'quoted\n.fi\n");
    }

    #[test]
    fn references_are_bold_names() {
        assert_eq!(reference("shmem_get(3)"), "\\fBshmem_get\\fP(3)");
    }
}

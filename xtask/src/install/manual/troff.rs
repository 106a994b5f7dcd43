//! Pages in the language of man(7).

use super::source::{Block, Page};

/// A page. No date stands in it: the same source gives the same page. `title`: the names; `about`: product and book.
pub fn page(page: &Page, title: &str, about: [&str; 2], blocks: &[Block]) -> String {
    // No hyphenation and no spreading of words: names must stay as they are.
    let (name, section, [product, book]) = (escape(&page.name.to_uppercase()), page.section, about);
    let mut text = format!(".TH \"{name}\" {section} \"\" \"{product}\" \"{book}\"\n.nh\n.ad l\n.SH NAME\n");
    text += &line(&format!("{} \\- {}", code(title), escape(&page.summary)));
    text + &blocks.iter().map(block).collect::<String>()
}

/// A line that is troff already.
fn line(troff: &str) -> String {
    // A control character at the beginning would make it a request.
    let guard = if troff.starts_with(['.', '\'']) { "\\&" } else { "" };
    format!("{guard}{troff}\n")
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(text) => format!(".SH {}\n", escape(&text.to_uppercase())),
        Block::Paragraph(text) => format!(".PP\n{}", line(&inline(text))),
        Block::Item(term, text) => {
            // Bare words are parameters, in italics as in the synopsis.
            let bare = term.split(", ").all(|n| !n.contains([' ', '`', '*']));
            let italic = |n: &str| format!("\\fI{}\\fP", code(n));
            let term = if bare { term.split(", ").map(italic).collect::<Vec<_>>().join(", ") } else { inline(term) };
            format!(".TP\n{}{}", line(&term), line(&inline(text)))
        }
        Block::Bullet(text) => format!(".IP \\(bu 2\n{}", line(&inline(text))),
        Block::Code(lines) => {
            format!(".PP\n.RS 4\n.nf\n{}.fi\n.RE\n", lines.iter().map(|l| line(&code(l))).collect::<String>())
        }
        Block::Synopsis(lines) => {
            let lines = lines.iter().flat_map(|l| l.split('\n')).map(|l| line(&declaration(l)));
            format!(".nf\n{}.fi\n", lines.collect::<String>())
        }
        Block::See(names) => {
            let bold = |name: &String| {
                let (name, section) = name.split_once('(').unwrap_or((name, ""));
                format!("\\fB{}\\fP({section}", code(name))
            };
            line(&names.iter().map(bold).collect::<Vec<_>>().join(", "))
        }
        Block::Settings | Block::Fortran => String::new(),
    }
}

/// A line of C in bold, with the names of parameters in italics.
fn declaration(line: &str) -> String {
    let mut out = String::new();
    for part in line.split_inclusive([',', ')']) {
        let before = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '_');
        let stem = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
        let (name, end) = (&before[stem.len()..], &part[before.len()..]);
        out += &match stem.ends_with([' ', '*']) && end.starts_with([',', ')']) {
            true => format!("\\fB{}\\fP\\fI{}\\fP\\fB{end}\\fP", code(stem), code(name)),
            false => format!("\\fB{}\\fP", code(part)),
        };
    }
    out
}

/// Plain text.
fn escape(text: &str) -> String {
    text.replace('\\', "\\e")
}

/// Text in which every character stays: `-` must not become a hyphen, nor quotes curly.
fn code(text: &str) -> String {
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
        assert_eq!(block(&Block::Paragraph(".so is text".into())), ".PP\n\\&.so is text\n");
        assert_eq!(block(&Block::Code(vec!["'a".into()])), ".PP\n.RS 4\n.nf\n\\(aqa\n.fi\n.RE\n");
    }

    #[test]
    fn names_of_pages_and_parameters_have_fonts() {
        assert_eq!(block(&Block::See(vec!["shmem_get(3)".into()])), "\\fBshmem_get\\fP(3)\n");
        let fonts = "\\fBvoid f(int *\\fP\\fIa_b\\fP\\fB,\\fP\\fB size_t \\fP\\fIn\\fP\\fB)\\fP\\fB;\\fP";
        assert_eq!(declaration("void f(int *a_b, size_t n);"), fonts);
        assert_eq!(declaration("f(void)"), "\\fBf(void)\\fP");
    }
}

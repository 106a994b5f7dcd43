//! Text to [`Spec`]. The format is documented at the head of `spec/openshmem-1.6.api`.

use super::{Constant, Generic, Group, Hole, Kind, Param, Pattern, Spec, Template};
use anyhow::{Context, Result, bail, ensure};

/// Reads the whole list. An error names the line where the statement begins.
pub fn parse(text: &str) -> Result<Spec> {
    let mut spec = Spec::default();
    for (number, line) in statements(text) {
        statement(&mut spec, &line).with_context(|| format!("line {number}"))?;
    }
    Ok(spec)
}

/// Statements with their first line's number: comments gone, continuation lines joined.
pub(super) fn statements(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default();
        let continues = line.starts_with([' ', '\t']);
        let line = line.trim();
        match all.last_mut() {
            _ if line.is_empty() => {}
            Some((_, before)) if continues => {
                before.push(' ');
                before.push_str(line);
            }
            _ => all.push((i + 1, line.to_string())),
        }
    }
    all
}

fn statement(spec: &mut Spec, line: &str) -> Result<()> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    match word {
        "type" => {
            let (name, c_type) = rest.split_once('=').unwrap_or((rest, rest));
            let old = spec.types.insert(name.trim().to_string(), c_type.trim().to_string());
            ensure!(old.is_none(), "type {} stands there twice", name.trim());
        }
        "table" => table(spec, rest)?,
        "group" => {
            spec.groups.push(Group { title: rest.to_string(), templates: Vec::new(), generics: Vec::new() });
        }
        "generic" => {
            let generic = generic(rest)?;
            group(spec)?.generics.push(generic);
        }
        "number" | "flags" | "string" | "handle" => constants(spec, word, rest)?,
        "underscore" => {
            for name in rest.split_whitespace() {
                let c = spec.constants.iter_mut().find(|c| c.name == name);
                c.with_context(|| format!("no constant {name}"))?.underscore = true;
            }
        }
        "extension" => spec.extensions.extend(rest.split_whitespace().map(str::to_string)),
        _ => {
            let template = template(line)?;
            group(spec)?.templates.push(template);
        }
    }
    Ok(())
}

fn group(spec: &mut Spec) -> Result<&mut Group> {
    spec.groups.last_mut().context("a routine stands before the first `group`")
}

fn table(spec: &mut Spec, rest: &str) -> Result<()> {
    let (name, rows) = rest.split_once(':').context("`table NAME : T...` has no colon")?;
    let rows: Vec<String> = rows.split_whitespace().map(str::to_string).collect();
    ensure!(!rows.is_empty(), "table {} is empty", name.trim());
    for row in &rows {
        ensure!(spec.types.contains_key(row), "no type {row}");
    }
    let old = spec.tables.insert(name.trim().to_string(), rows);
    ensure!(old.is_none(), "table {} stands there twice", name.trim());
    Ok(())
}

fn constants(spec: &mut Spec, word: &str, rest: &str) -> Result<()> {
    let (rest, deprecated) = match rest.split_once(" deprecated ") {
        Some((names, version)) => (names, Some(version.trim().to_string())),
        None => (rest, None),
    };
    let mut names = rest.split_whitespace();
    let kind = match word {
        "number" => Kind::Number,
        // A set per statement: the number of constants so far is as good a number as any.
        "flags" => Kind::Flag(spec.constants.len()),
        "string" => Kind::Text,
        _ => Kind::Handle(names.next().context("`handle` lacks a type")?.to_string()),
    };
    for name in names {
        let (name, kind, deprecated) = (name.to_string(), kind.clone(), deprecated.clone());
        spec.constants.push(Constant { name, kind, underscore: false, deprecated });
    }
    Ok(())
}

fn generic(rest: &str) -> Result<Generic> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    let (name, plain, other) = match words[..] {
        [name, plain] => (name, plain, None),
        [name, plain, "or", other, "if", c_type] => (name, plain, Some((pattern(other)?, c_type.to_string()))),
        _ => bail!("expected `generic NAME PLAIN [or OTHER if TYPE]`"),
    };
    Ok(Generic { name: name.to_string(), plain: pattern(plain)?, other })
}

/// `RET NAME ( PARAMS ) [noreturn] [deprecated V] [extension]`
fn template(line: &str) -> Result<Template> {
    let (head, rest) = line.split_once('(').context("neither a known word nor a routine")?;
    let (params, tail) = rest.split_once(')').context("no closing bracket")?;
    let declarator = declarator(head.trim()).context("a routine needs a type and a name")?;
    let (deprecated, [noreturn, extension]) = self::tail(tail, ["noreturn", "extension"])?;
    let mut list = Vec::new();
    for param in params.split(',').map(str::trim) {
        match param {
            "void" => {}
            "..." => list.push(Param { c_type: "...".to_string(), name: String::new() }),
            _ => list.push(self::declarator(param).with_context(|| format!("parameter `{param}` lacks a type"))?),
        }
    }
    let name = pattern(&declarator.name)?;
    let mentions = declarator.c_type.contains("{T}") || list.iter().any(|p| p.c_type.contains("{T}"));
    ensure!(mentions == matches!(name.hole, Hole::Types(_)), "{{T}} must stand in the name and in a type");
    Ok(Template { name, returns: declarator.c_type, params: list, deprecated, noreturn, extension })
}

/// What stands behind a routine's bracket: since when it is deprecated, and which of the `known` words are there.
pub(super) fn tail<const N: usize>(text: &str, known: [&str; N]) -> Result<(Option<String>, [bool; N])> {
    let (mut deprecated, mut found) = (None, [false; N]);
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match known.iter().position(|k| *k == word) {
            Some(at) => found[at] = true,
            None if word == "deprecated" => {
                deprecated = Some(words.next().context("deprecated since when?")?.to_string());
            }
            None => bail!("unknown word {word} after the bracket"),
        }
    }
    Ok((deprecated, found))
}

/// Splits `const {T} *dest` into type and name; blanks that only align columns go.
fn declarator(text: &str) -> Option<Param> {
    let at = text.rfind([' ', '*'])? + 1;
    let c_type = text[..at].split_whitespace().collect::<Vec<_>>().join(" ");
    let name = text[at..].trim().to_string();
    (!c_type.is_empty() && !name.is_empty()).then_some(Param { c_type, name })
}

/// Splits a name at its hole.
pub(super) fn pattern(name: &str) -> Result<Pattern> {
    let whole =
        |before: &str, hole, after: &str| Pattern { before: before.to_string(), hole, after: after.to_string() };
    let Some((before, rest)) = name.split_once('{') else {
        return Ok(whole(name, Hole::None, ""));
    };
    let (inside, after) = rest.split_once('}').with_context(|| format!("`{name}` lacks a closing brace"))?;
    ensure!(!after.contains('{'), "`{name}` has two holes");
    let split = |text: &str, at| text.split(at).map(str::to_string).collect();
    let hole = match inside.strip_prefix("T:") {
        Some(tables) => Hole::Types(split(tables, '+')),
        None => Hole::Words(split(inside, ',')),
    };
    Ok(whole(before, hole, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_routine_has_all_its_parts() {
        let t = template("void *shmem_x ( const {T} *dest, int n ) deprecated 1.2 noreturn").unwrap_err();
        assert!(t.to_string().contains("{T}"), "{t}");
        let t = template("const {T} *shmem_{T:a+b}_x ( const {T} *dest, int n, ... ) deprecated 1.2 noreturn").unwrap();
        assert!(!t.extension && template("void f ( void ) extension").unwrap().extension);
        assert_eq!(t.returns, "const {T} *");
        assert_eq!(t.name.hole, Hole::Types(vec!["a".into(), "b".into()]));
        assert_eq!((t.name.before.as_str(), t.name.after.as_str()), ("shmem_", "_x"));
        assert_eq!(t.params.len(), 3);
        assert_eq!((t.params[0].c_type.as_str(), t.params[0].name.as_str()), ("const {T} *", "dest"));
        assert_eq!((t.deprecated.as_deref(), t.noreturn), (Some("1.2"), true));
        assert!(template("void f ( void )").unwrap().params.is_empty());
    }

    #[test]
    fn errors_name_the_line_and_the_reason() {
        for (text, line, reason) in [
            ("type int\ntable a int", "line 2", "no colon"),
            ("table a : int", "line 1", "no type int"),
            ("void f ( void )", "line 1", "before the first `group`"),
            ("group G\n\nvoid f ( void ) obsolete", "line 3", "unknown word obsolete"),
            ("group G\nvoid f ( dest )", "line 2", "`dest` lacks a type"),
            ("group G\ngeneric f g or h", "line 2", "expected `generic"),
            ("group G\nvoid f{1,2}{3} ( void )", "line 2", "two holes"),
            ("underscore X", "line 1", "no constant X"),
            ("nonsense", "line 1", "neither a known word"),
        ] {
            let e = format!("{:#}", parse(text).unwrap_err());
            assert!(e.contains(line) && e.contains(reason), "{text:?} gave {e}");
        }
    }

    #[test]
    fn constants_know_their_kind() {
        let spec = parse("flags A B\nflags C\nhandle h_t D\nnumber E deprecated 1.5\nunderscore E").unwrap();
        let kinds: Vec<&Kind> = spec.constants.iter().map(|c| &c.kind).collect();
        assert_eq!(kinds[0], kinds[1]);
        assert_ne!(kinds[1], kinds[2]);
        assert_eq!(kinds[3], &Kind::Handle("h_t".into()));
        assert_eq!(spec.constants[4].deprecated.as_deref(), Some("1.5"));
        assert!(spec.constants[4].underscore && !spec.constants[0].underscore);
    }
}

//! The settings of the runtime as data: the rows of `settings! { ... }` in oshmpi/src/env.rs.
//!
//! The table is read as Rust source, so there is no second list: docs/env.md, osh_info and the manual pages come from
//! the source of the runtime.

use anyhow::{Context, Result, bail, ensure};
use serde::Serialize;
use std::collections::BTreeMap;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Item, Lit, LitStr, Token, Type};

/// One environment variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setting {
    pub name: String,
    /// Other names that are read: those it had before, those that other libraries have for it.
    pub old: Vec<String>,
    /// What values it takes.
    pub value: String,
    /// The value in force when it is not set, in the form in which a user writes it; `not set` for flags.
    pub default: String,
    /// One line.
    pub help: String,
    /// What the documents say beyond that line; may be empty.
    pub more: String,
}

/// The rows of this checkout, in their order.
pub fn load() -> Result<Vec<Setting>> {
    let path = crate::util::root().join("oshmpi/src/env.rs");
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    parse(&text).with_context(|| path.display().to_string())
}

/// A row as it stands in the source.
struct Row {
    more: Vec<Attribute>,
    ty: Type,
    default: Expr,
    names: Vec<String>,
    /// All PEs must have the same value.
    agreed: bool,
    help: String,
}

struct Rows(Vec<Row>);

impl Parse for Rows {
    fn parse(input: ParseStream) -> syn::Result<Rows> {
        let mut rows = Vec::new();
        while !input.is_empty() {
            let more = input.call(Attribute::parse_outer)?;
            input.parse::<Ident>()?;
            input.parse::<Token![:]>()?;
            let ty = input.parse()?;
            input.parse::<Token![=]>()?;
            let default = input.parse()?;
            input.parse::<Token![,]>()?;
            let inside;
            syn::bracketed!(inside in input);
            let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&inside)?;
            // The mark `agreed`.
            let agreed = input.parse::<Option<Ident>>()?.is_some();
            input.parse::<Token![,]>()?;
            let help = input.parse::<LitStr>()?.value();
            input.parse::<Token![;]>()?;
            let names = names.iter().map(LitStr::value).collect();
            rows.push(Row { more, ty, default, names, agreed, help });
        }
        Ok(Rows(rows))
    }
}

fn parse(text: &str) -> Result<Vec<Setting>> {
    let file = syn::parse_file(text).context("is not Rust")?;
    let expected = expectations(&file);
    let tables: Vec<_> = file
        .items
        .iter()
        .filter_map(|item| match item {
            Item::Macro(m) if m.mac.path.is_ident("settings") => Some(&m.mac),
            _ => None,
        })
        .collect();
    ensure!(tables.len() == 1, "there must be one `settings! {{ ... }}`, not {}", tables.len());
    let Rows(rows) = tables[0].parse_body().context("a row of settings! is not understood")?;
    ensure!(!rows.is_empty(), "settings! has no rows");
    rows.iter().map(|row| setting(row, &expected)).collect()
}

fn setting(row: &Row, expected: &BTreeMap<String, String>) -> Result<Setting> {
    let name = row.names.first().context("a row without a name")?.clone();
    let ty = name_of(&row.ty).with_context(|| format!("{name}: its type has no simple name"))?;
    let value = match expected.get(&ty) {
        Some(text) => text.clone(),
        None => bail!("{name}: `impl Read for {ty}` with its EXPECTED is not in the same file"),
    };
    let mut more = documentation(&row.more);
    if row.agreed {
        more = format!("{more} Must be the same on all PEs.").trim_start().to_string();
    }
    let default = shown(&row.default).with_context(|| format!("{name}: cannot tell what its default looks like"))?;
    Ok(Setting { old: row.names[1..].to_vec(), value, default, help: row.help.clone(), more, name })
}

/// `choice! { Name = "what it expects" { ... } }`: a setting that is one word out of a few.
struct Choice {
    name: String,
    expected: String,
}

impl Parse for Choice {
    fn parse(input: ParseStream) -> syn::Result<Choice> {
        input.call(Attribute::parse_outer)?;
        let name = input.parse::<Ident>()?.to_string();
        input.parse::<Token![=]>()?;
        let expected = input.parse::<LitStr>()?.value();
        input.parse::<proc_macro2::TokenStream>()?;
        Ok(Choice { name, expected })
    }
}

/// Type name → what `choice!` or `impl Read for TYPE` says that it expects.
fn expectations(file: &syn::File) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for item in &file.items {
        if let Item::Macro(m) = item
            && m.mac.path.is_ident("choice")
            && let Ok(Choice { name, expected }) = m.mac.parse_body()
        {
            all.insert(name, expected);
        }
        let Item::Impl(i) = item else { continue };
        let is_read = i.trait_.as_ref().is_some_and(|(_, path, _)| path.is_ident("Read"));
        let Some(ty) = name_of(&i.self_ty).filter(|_| is_read) else { continue };
        for inner in &i.items {
            if let syn::ImplItem::Const(c) = inner
                && c.ident == "EXPECTED"
                && let Expr::Lit(syn::ExprLit { lit: Lit::Str(s), .. }) = &c.expr
            {
                all.insert(ty.clone(), s.value());
            }
        }
    }
    all
}

/// `Size`; for `Option<Size>` too `Option<Size>`, without blanks.
fn name_of(ty: &Type) -> Option<String> {
    let Type::Path(p) = ty else { return None };
    let last = p.path.segments.last()?;
    let mut name = last.ident.to_string();
    if let syn::PathArguments::AngleBracketed(inside) = &last.arguments {
        let types: Option<Vec<String>> =
            inside.args.iter().map(|a| if let syn::GenericArgument::Type(t) = a { name_of(t) } else { None }).collect();
        name += &format!("<{}>", types?.join(","));
    }
    Some(name)
}

/// A default in the form in which a user writes it.
fn shown(e: &Expr) -> Result<String> {
    match e {
        Expr::Lit(l) => match &l.lit {
            Lit::Bool(b) => Ok(if b.value { "set" } else { "not set" }.to_string()),
            Lit::Str(s) => Ok(s.value()),
            _ => Ok(number(e)?.to_string()),
        },
        // `Statics::Remap` is written remap, `Amo::NearFar` near-far, `None` is no value.
        Expr::Path(p) => {
            let last = p.path.segments.last().context("an empty path")?.ident.to_string();
            Ok(if last.eq_ignore_ascii_case("none") { "not set".to_string() } else { kebab(&last) })
        }
        Expr::Call(c) => {
            let Expr::Path(f) = &*c.func else { bail!("a call of something that has no name") };
            let name = f.path.segments.last().context("an empty path")?.ident.to_string();
            ensure!(c.args.len() == 1, "{name} with {} arguments", c.args.len());
            if name == "Size" { Ok(size(number(&c.args[0])?)) } else { shown(&c.args[0]) }
        }
        _ => Ok(number(e)?.to_string()),
    }
}

/// A number from literals, `<<`, `*`, `+`.
fn number(e: &Expr) -> Result<u64> {
    match e {
        Expr::Lit(syn::ExprLit { lit: Lit::Int(i), .. }) => Ok(i.base10_parse()?),
        Expr::Paren(p) => number(&p.expr),
        Expr::Binary(b) => {
            let (left, right) = (number(&b.left)?, number(&b.right)?);
            match b.op {
                syn::BinOp::Shl(_) => Ok(left << right),
                syn::BinOp::Mul(_) => Ok(left * right),
                syn::BinOp::Add(_) => Ok(left + right),
                _ => bail!("an operator other than <<, * and +"),
            }
        }
        _ => bail!("neither a literal, nor a variant, nor a number"),
    }
}

/// 536870912 is `512M`.
fn size(bytes: u64) -> String {
    for (shift, letter) in [(40, 'T'), (30, 'G'), (20, 'M'), (10, 'K')] {
        if bytes > 0 && bytes.is_multiple_of(1 << shift) {
            return format!("{}{letter}", bytes >> shift);
        }
    }
    bytes.to_string()
}

fn kebab(variant: &str) -> String {
    let mut out = String::new();
    for c in variant.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// The text of doc comments, as one paragraph.
fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|a| match &a.meta {
        syn::Meta::NameValue(nv) if nv.path.is_ident("doc") => match &nv.value {
            Expr::Lit(syn::ExprLit { lit: Lit::Str(s), .. }) => Some(s.value().trim().to_string()),
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = r#"
        impl Read for bool { const EXPECTED: &'static str = "anything but 0"; }
        impl Read for Size { const EXPECTED: &'static str = "a size"; }
        choice! { /// A way.
            Route = "auto or mpi-only" { Auto = "auto", MpiOnly = "mpi-only", } }
        impl Read for u32 { const EXPECTED: &'static str = "a number"; }
        settings! {
            heap: Size = Size(512 << 20), ["HEAP", "OLD_HEAP", "X_HEAP"], "bytes";
            /// Being set
            /// counts.
            flag: bool = false, ["FLAG"], "a flag";
            route: Route = Route::MpiOnly, ["ROUTE"] agreed, "a way; any";
            spin: u32 = 3 * (2 + 2), ["SPIN"], "turns";
        }
    "#;

    #[test]
    fn rows_become_settings() {
        let all = parse(SOURCE).unwrap();
        let shown: Vec<[&str; 3]> = all.iter().map(|s| [&*s.name, &*s.default, &*s.value]).collect();
        assert_eq!(
            shown,
            [
                ["HEAP", "512M", "a size"],
                ["FLAG", "not set", "anything but 0"],
                ["ROUTE", "mpi-only", "auto or mpi-only"],
                ["SPIN", "12", "a number"],
            ]
        );
        assert_eq!((all[0].old.as_slice(), all[1].old.len()), (["OLD_HEAP".into(), "X_HEAP".into()].as_slice(), 0));
        assert_eq!(all[1].more, "Being set counts.");
        assert_eq!((&*all[2].help, &*all[2].more), ("a way; any", "Must be the same on all PEs."));
    }

    #[test]
    fn what_cannot_be_read_names_the_row() {
        let unknown = SOURCE.replace("spin: u32", "spin: i8");
        assert!(format!("{:#}", parse(&unknown).unwrap_err()).contains("SPIN: `impl Read for i8`"));
        let odd = SOURCE.replace("3 * (2 + 2)", "if a { 1 } else { 2 }");
        assert!(format!("{:#}", parse(&odd).unwrap_err()).contains("SPIN: cannot tell"));
        assert!(parse("fn f() {}").is_err());
    }

    #[test]
    fn sizes_use_the_largest_unit_that_fits() {
        assert_eq!([size(0), size(1536), size(1 << 30), size(3 << 10)], ["0", "1536", "1G", "3K"]);
    }

    #[test]
    fn this_checkout_has_settings() {
        let all = load().unwrap();
        assert!(all.iter().any(|s| s.name == "SHMEM_SYMMETRIC_SIZE" && s.default == "512M"), "{all:?}");
    }
}

//! Filters on text. Every other value is taken by what it prints.

use serde_json::Value;

use crate::callee::Args;
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::value::Val;

type Out<'a> = Result<Val<'a>, Fail>;

pub(super) fn string<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    if val.get().is_string() {
        Ok(val)
    } else {
        Ok(Val::text(eval.show(val.get())?))
    }
}

pub(super) fn upper<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    Ok(Val::text(
        text.chars()
            .flat_map(char::to_uppercase)
            .collect::<String>(),
    ))
}

pub(super) fn lower<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    let mut out = String::with_capacity(text.len());
    let mut before = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // The small sigma at the end of a word has a form of its own.
        if c == 'Σ' && before && !chars.peek().copied().is_some_and(is_cased) {
            out.push('ς');
        } else {
            out.extend(c.to_lowercase());
        }
        before = is_cased(c);
    }
    Ok(Val::text(out))
}

/// Whether a letter has a small and a capital form.
fn is_cased(c: char) -> bool {
    !c.to_lowercase().eq(c.to_uppercase())
}

pub(super) fn trim<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    Ok(Val::text(match args.text(0)? {
        Some(chars) => text.trim_matches(|c| chars.contains(c)),
        None => text.trim(),
    }))
}

pub(super) fn replace<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    let shown = |index| match args.get(index) {
        Some(arg) => eval.show(arg.get()),
        None => Ok("".into()),
    };
    let (old, new) = (shown(0)?, shown(1)?);
    // A negative count means all, as does none.
    let limit = args.int(2)?.and_then(|count| usize::try_from(count).ok());
    let limit = limit.unwrap_or(usize::MAX);
    let found = text.matches(old.as_ref()).take(limit).count();
    eval.spend_bytes(found.saturating_mul(new.len()))?;
    Ok(Val::text(text.replacen(old.as_ref(), &new, limit)))
}

pub(super) fn split<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    let mut limit = match args.int(1)? {
        Some(count) => usize::try_from(count).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    let separator = args.text(0)?;
    if separator == Some("") {
        return Err(
            Fail::new(ErrorKind::Argument, "the separator of `split` is empty")
                .hint("a loop over a text gives its characters"),
        );
    }
    let mut parts = Vec::new();
    let mut rest = match separator {
        Some(_) => text.as_ref(),
        None => text.trim_start(),
    };
    loop {
        eval.spend(1)?;
        let found = match separator {
            Some(separator) => rest.split_once(separator),
            None => rest.split_once(char::is_whitespace),
        };
        match found.filter(|_| limit > 0) {
            Some((part, tail)) => {
                parts.push(Value::from(part));
                rest = if separator.is_some() {
                    tail
                } else {
                    tail.trim_start()
                };
            }
            None => break,
        }
        limit -= 1;
    }
    // White space at the end makes no empty part, a separator does.
    if separator.is_some() || !rest.is_empty() {
        parts.push(Value::from(rest));
    }
    Ok(Val::own(Value::Array(parts)))
}

pub(super) fn truncate<'a>(eval: &Eval<'_>, val: Val<'a>, mut args: Args<'a>) -> Out<'a> {
    let length = args.count(0, usize::MAX)?.unwrap_or(255);
    let killwords = args.flag(1);
    let end = args.take(2).unwrap_or_else(|| Val::text("..."));
    let end = eval.show(end.get())?;
    let text = eval.show(val.get())?;
    if text.chars().count() <= length {
        return Ok(Val::text(text));
    }
    let room = length.saturating_sub(end.chars().count());
    let mut kept = cut(&text, room);
    if !killwords && let Some((words, _)) = kept.rsplit_once(' ') {
        kept = words;
    }
    Ok(Val::text(format!("{kept}{}", cut(&end, length))))
}

/// The first `count` characters.
fn cut(text: &str, count: usize) -> &str {
    let end = text.char_indices().nth(count);
    end.and_then(|(index, _)| text.get(..index)).unwrap_or(text)
}

pub(super) fn escape<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let text = eval.show(val.get())?;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#x27;"),
            c => out.push(c),
        }
    }
    Ok(Val::text(out))
}

/// A map becomes `key=value&…`, without the keys that hold none.
pub(super) fn urlencode<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let mut out = String::new();
    if let Value::Object(map) = val.get() {
        for (key, value) in map.iter().filter(|(_, value)| !value.is_null()) {
            eval.spend(1)?;
            if !out.is_empty() {
                out.push('&');
            }
            percent(key, &mut out);
            out.push('=');
            percent(&eval.show(value)?, &mut out);
        }
    } else {
        percent(&eval.show(val.get())?, &mut out);
    }
    Ok(Val::text(out))
}

fn percent(text: &str, out: &mut String) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for nibble in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(nibble), 16).unwrap_or('0');
                out.push(digit.to_ascii_uppercase());
            }
        }
    }
}

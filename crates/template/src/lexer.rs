//! Source text to tokens.
//!
//! Outside of tags everything is text; single braces mean nothing. Inside a tag `}}` and `%}` end it
//! only where no bracket is open, so that `{{ {"a": {"b": 1}} }}` reads as a map.

use crate::error::Flaw;

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token<'s> {
    /// Literal text outside of tags.
    Text(&'s str),
    /// `{{`
    Print,
    /// `}}`
    PrintEnd,
    /// `{%`
    Tag,
    /// `%}`
    TagEnd,
    /// An identifier or keyword.
    Name(&'s str),
    /// A text literal with its escapes resolved.
    Str(String),
    /// An integer literal.
    Int(u64),
    /// A float literal, finite.
    Float(f64),
    /// An operator or bracket.
    Sym(&'static str),
    /// The end of the source.
    End,
}

impl Token<'_> {
    /// The token as an error message names it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Token::Text(_) => "text".to_owned(),
            Token::Print => "`{{`".to_owned(),
            Token::PrintEnd => "`}}`".to_owned(),
            Token::Tag => "`{%`".to_owned(),
            Token::TagEnd => "`%}`".to_owned(),
            Token::Name(name) => format!("`{name}`"),
            Token::Str(_) => "a text".to_owned(),
            Token::Int(_) | Token::Float(_) => "a number".to_owned(),
            Token::Sym(sym) => format!("`{sym}`"),
            Token::End => "the end".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Mode {
    Text,
    Print,
    Tag,
    /// A bare expression, which only the end of the source ends.
    Bare,
}

const SYMBOLS: [&str; 23] = [
    "//", "==", "!=", "<=", ">=", "+", "-", "*", "/", "%", ".", ",", ":", "~", "|", "=", "<", ">",
    "(", ")", "[", "]", "{",
];

/// Reads tokens one by one.
pub(crate) struct Lexer<'s> {
    source: &'s str,
    pub(crate) pos: usize,
    mode: Mode,
    /// Where the open tag began.
    opened: usize,
    /// Brackets open in the tag.
    nesting: usize,
    /// The last tag ended with `-`: white space before the next token goes.
    trim: bool,
    /// The last token was a `.`: digits are an index, never a float.
    after_dot: bool,
}

impl<'s> Lexer<'s> {
    pub(crate) fn template(source: &'s str) -> Lexer<'s> {
        Lexer {
            source,
            pos: 0,
            mode: Mode::Text,
            opened: 0,
            nesting: 0,
            trim: false,
            after_dot: false,
        }
    }

    pub(crate) fn expression(source: &'s str) -> Lexer<'s> {
        Lexer {
            mode: Mode::Bare,
            ..Lexer::template(source)
        }
    }

    pub(crate) fn rest(&self) -> &'s str {
        self.source.get(self.pos..).unwrap_or("")
    }

    fn skip(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.pos += prefix.len();
        }
        found
    }

    /// Skips one white space mark; true for `-`.
    fn skip_mark(&mut self) -> bool {
        let minus = self.skip("-");
        if !minus {
            self.skip("+");
        }
        minus
    }

    fn skip_white(&mut self) {
        self.pos = self.source.len() - self.rest().trim_start().len();
    }

    /// The next token and where it begins.
    pub(crate) fn next(&mut self) -> Result<(Token<'s>, usize), Flaw> {
        if self.mode != Mode::Text {
            return self.next_in_tag();
        }
        loop {
            if std::mem::take(&mut self.trim) {
                self.skip_white();
            }
            let at = self.pos;
            if self.skip("{#") {
                self.comment(at)?;
            } else if self.skip("{{") {
                self.open(Mode::Print, at);
                return Ok((Token::Print, at));
            } else if self.skip("{%") {
                self.skip_mark();
                if let Some(raw) = self.raw(at)? {
                    if !raw.is_empty() {
                        return Ok((Token::Text(raw), at));
                    }
                } else {
                    self.open(Mode::Tag, at);
                    return Ok((Token::Tag, at));
                }
            } else if self.rest().is_empty() {
                return Ok((Token::End, at));
            } else {
                let text = self.text();
                if !text.is_empty() {
                    return Ok((Token::Text(text), at));
                }
            }
        }
    }

    fn open(&mut self, mode: Mode, at: usize) {
        if mode == Mode::Print {
            self.skip_mark();
        }
        self.mode = mode;
        self.opened = at;
        self.nesting = 0;
        self.after_dot = false;
    }

    /// Text up to the next tag, without the white space that the tag's `-` removes.
    fn text(&mut self) -> &'s str {
        let rest = self.rest();
        let marker = rest
            .match_indices('{')
            .map(|(index, _)| index)
            .find(|index| {
                matches!(
                    rest.as_bytes().get(index + 1),
                    Some(b'{') | Some(b'%') | Some(b'#')
                )
            });
        let end = marker.unwrap_or(rest.len());
        self.pos += end;
        let text = rest.get(..end).unwrap_or("");
        if marker.is_some() && rest.as_bytes().get(end + 2) == Some(&b'-') {
            text.trim_end()
        } else {
            text
        }
    }

    fn comment(&mut self, at: usize) -> Result<(), Flaw> {
        self.skip_mark();
        let Some((content, _)) = self.rest().split_once("#}") else {
            return Err(Flaw::new(at, "the comment `{#` is not closed with `#}`"));
        };
        self.pos += content.len() + 2;
        self.trim = content.ends_with('-');
        Ok(())
    }

    /// After `{%`: the content of a raw block, or nothing if this is another tag.
    fn raw(&mut self, at: usize) -> Result<Option<&'s str>, Flaw> {
        let Some((length, trim_start)) = word_tag(self.rest(), "raw") else {
            return Ok(None);
        };
        self.pos += length;
        let body = self.rest();
        let mut from = 0;
        while let Some(found) = body.get(from..).and_then(|tail| tail.find("{%")) {
            let end = from + found;
            let inner = body.get(end + 2..).unwrap_or("");
            let marked = inner.strip_prefix(['-', '+']).unwrap_or(inner);
            if let Some((length, trim_next)) = word_tag(marked, "endraw") {
                let mut text = body.get(..end).unwrap_or("");
                if trim_start {
                    text = text.trim_start();
                }
                if inner.starts_with('-') {
                    text = text.trim_end();
                }
                self.pos += end + 2 + (inner.len() - marked.len()) + length;
                self.trim = trim_next;
                return Ok(Some(text));
            }
            from = end + 2;
        }
        Err(Flaw::new(
            at,
            "`{% raw %}` is not closed with `{% endraw %}`",
        ))
    }

    fn next_in_tag(&mut self) -> Result<(Token<'s>, usize), Flaw> {
        let rest = self.rest();
        self.pos += rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_whitespace())
                .len();
        let at = self.pos;
        if let Some(end) = self.tag_end() {
            return Ok((end, at));
        }
        let rest = self.rest();
        let after_dot = std::mem::take(&mut self.after_dot);
        let Some(first) = rest.chars().next() else {
            return match self.mode {
                Mode::Print => Err(Flaw::new(self.opened, "`{{` is not closed with `}}`")
                    .hint("to print braces write {% raw %}{{{% endraw %}")),
                Mode::Tag => Err(Flaw::new(self.opened, "`{%` is not closed with `%}`")
                    .hint("to print braces write {% raw %}{%{% endraw %}")),
                Mode::Bare | Mode::Text => Ok((Token::End, at)),
            };
        };
        if first.is_ascii_digit() {
            return Ok((self.number(after_dot)?, at));
        }
        if first.is_ascii_alphabetic() || first == '_' {
            let length = rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                .count();
            self.pos += length;
            return Ok((Token::Name(rest.get(..length).unwrap_or("")), at));
        }
        if first == '"' || first == '\'' {
            return Ok((Token::Str(self.string(first)?), at));
        }
        for wrong in ["&&", "||", "**", "!"] {
            if rest.starts_with(wrong) && !rest.starts_with("!=") {
                return Err(Flaw::new(at, format!("`{wrong}` is not an operator"))
                    .hint("the operators are + - * / // % ~ == != < <= > >= and or not in is"));
            }
        }
        if first == '}' {
            self.pos += 1;
            self.nesting = self.nesting.saturating_sub(1);
            return Ok((Token::Sym("}"), at));
        }
        let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) else {
            return Err(
                Flaw::new(at, format!("unexpected character `{first}`")).hint(
                    "names hold letters a-z, digits and _; reach other fields with x[\"field\"]",
                ),
            );
        };
        self.pos += symbol.len();
        match *symbol {
            "(" | "[" | "{" => self.nesting += 1,
            ")" | "]" => self.nesting = self.nesting.saturating_sub(1),
            "." => self.after_dot = true,
            _ => {}
        }
        Ok((Token::Sym(symbol), at))
    }

    fn tag_end(&mut self) -> Option<Token<'static>> {
        if self.nesting > 0 {
            return None;
        }
        let (end, token) = match self.mode {
            Mode::Print => ("}}", Token::PrintEnd),
            Mode::Tag => ("%}", Token::TagEnd),
            Mode::Bare | Mode::Text => return None,
        };
        let rest = self.rest();
        let marked = rest.strip_prefix(['-', '+']).unwrap_or(rest);
        let after = marked.strip_prefix(end)?;
        self.trim = rest.starts_with('-');
        self.pos = self.source.len() - after.len();
        self.mode = Mode::Text;
        Some(token)
    }
}

/// Matches ` word -%}` and tells its length and whether it trims.
fn word_tag(text: &str, word: &str) -> Option<(usize, bool)> {
    let tail = text
        .trim_ascii_start()
        .strip_prefix(word)?
        .trim_ascii_start();
    let marked = tail.strip_prefix(['-', '+']).unwrap_or(tail);
    let after = marked.strip_prefix("%}")?;
    Some((text.len() - after.len(), tail.starts_with('-')))
}

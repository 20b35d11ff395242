//! Source text to tokens.
//!
//! Outside of tags everything is text; single braces mean nothing. Inside a tag `}}` and `%}` end it
//! only where no bracket is open, so that `{{ {"a": {"b": 1}} }}` reads as a map.

use crate::error::Flaw;
use crate::number;

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
    pos: usize,
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

    fn rest(&self) -> &'s str {
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

    fn number(&mut self, index_only: bool) -> Result<Token<'s>, Flaw> {
        let at = self.pos;
        let rest = self.rest().as_bytes();
        let digits = |from: usize| {
            let tail = rest.get(from..).unwrap_or(&[]);
            tail.iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut length = digits(0);
        let mut float = false;
        if !index_only {
            if rest.get(length) == Some(&b'.') && digits(length + 1) > 0 {
                length += 1 + digits(length + 1);
                float = true;
            }
            if matches!(rest.get(length), Some(b'e') | Some(b'E')) {
                let signed = matches!(rest.get(length + 1), Some(b'+') | Some(b'-'));
                let exponent = length + 1 + usize::from(signed);
                if digits(exponent) > 0 {
                    length = exponent + digits(exponent);
                    float = true;
                }
            }
        }
        let text = self.rest().get(..length).unwrap_or("");
        self.pos += length;
        let too_large = || Flaw::new(at, "the number is too large");
        if float {
            let value = number::parse(text);
            value
                .map(Token::Float)
                .ok_or_else(|| too_large().hint("floats reach to about 1.8e308"))
        } else {
            let value = text.parse().map_err(|_| {
                too_large().hint("integers reach to 18446744073709551615; write 1.0e20 for a float")
            })?;
            Ok(Token::Int(value))
        }
    }

    fn string(&mut self, quote: char) -> Result<String, Flaw> {
        let at = self.pos;
        let mut text = String::new();
        let mut chars = self.rest().char_indices().skip(1);
        while let Some((index, c)) = chars.next() {
            if c == quote {
                self.pos = at + index + 1;
                return Ok(text);
            }
            if c != '\\' {
                text.push(c);
                continue;
            }
            let Some((_, escape)) = chars.next() else {
                break;
            };
            text.push(match escape {
                '"' | '\'' | '\\' | '/' => escape,
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'u' => {
                    let tail = self.rest().get(index + 2..).unwrap_or("");
                    let (unicode, length) = unicode_escape(tail).ok_or_else(|| {
                        Flaw::new(at + index, "`\\u` needs four hexadecimal digits of a character")
                    })?;
                    for _ in 0..length {
                        chars.next();
                    }
                    unicode
                }
                _ => {
                    return Err(Flaw::new(at + index, format!("unknown escape `\\{escape}`"))
                        .hint("escapes are \\n \\t \\r \\b \\f \\\" \\' \\\\ \\/ \\u0041; a backslash is \\\\"));
                }
            });
        }
        Err(Flaw::new(at, "the text is not closed").hint(format!("close it with {quote}")))
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

/// The character of `XXXX`, or of a surrogate pair `XXXX\uXXXX`, and how many characters it took.
fn unicode_escape(text: &str) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let digits = text.get(from..from + 4)?;
        let hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex.then(|| u16::from_str_radix(digits, 16).ok())?
    };
    let first = unit(0)?;
    if let Some(c) = char::from_u32(u32::from(first)) {
        return Some((c, 4));
    }
    let second = text.get(4..6).filter(|mark| *mark == "\\u").and(unit(6))?;
    let c = char::decode_utf16([first, second]).next()?.ok()?;
    Some((c, 10))
}

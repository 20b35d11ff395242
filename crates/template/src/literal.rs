//! Numbers and texts in the source.

use crate::error::Flaw;
use crate::lexer::{Lexer, Token};
use crate::number;

impl<'s> Lexer<'s> {
    /// A number. After a dot it is an index, which has no fraction.
    pub(crate) fn number(&mut self, index_only: bool) -> Result<Token<'s>, Flaw> {
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

    /// A text, from its quotation mark on.
    pub(crate) fn string(&mut self, quote: char) -> Result<String, Flaw> {
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
        Err(Flaw::new(at, "the text is not closed")
            .hint("close it with the quotation mark it began with"))
    }
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

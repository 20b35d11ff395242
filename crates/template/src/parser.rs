//! Statements. Expressions are in `syntax.rs`.

use crate::ast::{For, Node};
use crate::error::Flaw;
use crate::lexer::{Lexer, Token};

/// How deep blocks and brackets may be nested, together. What parses can then be evaluated,
/// analysed and dropped by recursion on a small stack.
pub(crate) const MAX_DEPTH: usize = 64;

/// Names that cannot be set.
const RESERVED: [&str; 14] = [
    "true", "True", "false", "False", "none", "None", "loop", "and", "or", "not", "in", "is", "if",
    "else",
];

/// Reads tokens and builds the tree.
pub(crate) struct Parser<'s> {
    lexer: Lexer<'s>,
    /// The token to be read next, and where it begins.
    pub(crate) token: Token<'s>,
    pub(crate) at: usize,
    depth: usize,
    /// Where the source stands that another source quotes.
    quoted_at: Option<usize>,
}

impl<'s> Parser<'s> {
    pub(crate) fn template(source: &'s str) -> Result<Vec<Node>, Flaw> {
        let mut parser = Parser::new(Lexer::template(source))?;
        parser.body(&[], None)
    }

    pub(crate) fn new(mut lexer: Lexer<'s>) -> Result<Parser<'s>, Flaw> {
        let (token, at) = lexer.next()?;
        Ok(Parser {
            lexer,
            token,
            at,
            depth: 0,
            quoted_at: None,
        })
    }

    /// The current token; the next one takes its place.
    pub(crate) fn advance(&mut self) -> Result<Token<'s>, Flaw> {
        let (token, at) = self.lexer.next()?;
        self.at = self.quoted_at.unwrap_or(at);
        Ok(std::mem::replace(&mut self.token, token))
    }

    pub(crate) fn is(&self, symbol: &str) -> bool {
        matches!(self.token, Token::Sym(found) if found == symbol)
    }

    pub(crate) fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Name(found) if found == word)
    }

    pub(crate) fn skip(&mut self, symbol: &str) -> Result<bool, Flaw> {
        let found = self.is(symbol);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(crate) fn skip_word(&mut self, word: &str) -> Result<bool, Flaw> {
        let found = self.is_word(word);
        if found {
            self.advance()?;
        }
        Ok(found)
    }

    pub(crate) fn expect(&mut self, symbol: &'static str) -> Result<(), Flaw> {
        if self.skip(symbol)? {
            Ok(())
        } else {
            Err(self.unexpected(&format!("`{symbol}`")))
        }
    }

    pub(crate) fn unexpected(&self, wanted: &str) -> Flaw {
        let found = self.token.describe();
        Flaw::new(self.at, format!("{found} where {wanted} is expected"))
    }

    /// Runs one level deeper.
    pub(crate) fn nested<T>(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Result<T, Flaw>,
    ) -> Result<T, Flaw> {
        if self.depth >= MAX_DEPTH {
            let message = format!("blocks and brackets are nested more than {MAX_DEPTH} deep");
            return Err(Flaw::new(self.at, message));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    /// A parser of an expression that this one has met inside of a text.
    pub(crate) fn quoted<'q>(&self, source: &'q str, at: usize) -> Result<Parser<'q>, Flaw> {
        let parser = Parser::new(Lexer::expression(source))?;
        Ok(Parser {
            at,
            depth: self.depth,
            quoted_at: Some(at),
            ..parser
        })
    }

    fn name(&mut self) -> Result<String, Flaw> {
        let at = self.at;
        let Token::Name(name) = self.token else {
            return Err(self.unexpected("a name"));
        };
        if RESERVED.contains(&name) {
            return Err(Flaw::new(
                at,
                format!("`{name}` is reserved and cannot be set"),
            ));
        }
        self.advance()?;
        Ok(name.to_owned())
    }

    fn tag_end(&mut self) -> Result<(), Flaw> {
        if self.token != Token::TagEnd {
            return Err(self.unexpected("`%}`"));
        }
        self.advance().map(drop)
    }

    /// Nodes up to one of the words `ends`, which is left as the current token. `opener` is the
    /// block that needs the end, and where it began.
    fn body(&mut self, ends: &[&str], opener: Option<(&str, usize)>) -> Result<Vec<Node>, Flaw> {
        let mut nodes = Vec::new();
        loop {
            let at = self.at;
            match self.advance()? {
                Token::Text(text) => nodes.push(Node::Text(text.to_owned())),
                Token::Print => {
                    let expr = self.expression().map_err(in_braces)?;
                    if self.token != Token::PrintEnd {
                        return Err(in_braces(self.unexpected("`}}`")));
                    }
                    self.advance()?;
                    nodes.push(Node::Print(expr, at));
                }
                Token::Tag => {
                    if let Token::Name(word) = self.token
                        && ends.contains(&word)
                    {
                        return Ok(nodes);
                    }
                    nodes.push(self.nested(|parser| parser.statement(at))?);
                }
                // Outside of tags nothing else is read but the end.
                _ => {
                    return match opener {
                        None => Ok(nodes),
                        Some((word, at)) => Err(Flaw::new(
                            at,
                            format!("`{word}` is not closed with `{{% end{word} %}}`"),
                        )),
                    };
                }
            }
        }
    }

    fn statement(&mut self, at: usize) -> Result<Node, Flaw> {
        let Token::Name(word) = self.token else {
            return Err(self.unexpected("a statement"));
        };
        self.advance()?;
        match word {
            "if" => self.if_statement(at),
            "for" => self.for_statement(at),
            "set" => self.set_statement(at),
            "elif" | "else" | "endif" | "endfor" | "endset" => {
                Err(Flaw::new(at, format!("`{word}` belongs to no open block")))
            }
            "endraw" => Err(Flaw::new(at, "`endraw` without `raw`")),
            _ => Err(Flaw::new(at, format!("`{word}` is not a statement"))
                .hint("the statements are if, for, set and raw")),
        }
    }

    fn if_statement(&mut self, at: usize) -> Result<Node, Flaw> {
        let opener = Some(("if", at));
        let mut arms = Vec::new();
        loop {
            let condition = self.expression()?;
            self.tag_end()?;
            let body = self.body(&["elif", "else", "endif"], opener)?;
            arms.push((condition, body));
            if !self.skip_word("elif")? {
                break;
            }
        }
        let mut otherwise = Vec::new();
        if self.skip_word("else")? {
            self.tag_end()?;
            otherwise = self.body(&["endif"], opener)?;
        }
        self.skip_word("endif")?;
        self.tag_end()?;
        Ok(Node::If { arms, otherwise })
    }

    fn for_statement(&mut self, at: usize) -> Result<Node, Flaw> {
        let opener = Some(("for", at));
        let mut targets = vec![self.name()?];
        while self.skip(",")? {
            targets.push(self.name()?);
        }
        if !self.skip_word("in")? {
            return Err(self.unexpected("`in`"));
        }
        let list = self.operators()?;
        let condition = if self.skip_word("if")? {
            Some(self.expression()?)
        } else {
            None
        };
        self.tag_end()?;
        let body = self.body(&["else", "endfor"], opener)?;
        let mut otherwise = Vec::new();
        if self.skip_word("else")? {
            self.tag_end()?;
            otherwise = self.body(&["endfor"], opener)?;
        }
        self.skip_word("endfor")?;
        self.tag_end()?;
        Ok(Node::For(Box::new(For {
            targets,
            list,
            condition,
            body,
            otherwise,
            at,
        })))
    }

    fn set_statement(&mut self, at: usize) -> Result<Node, Flaw> {
        let name = self.name()?;
        if self.skip("=")? {
            let expr = self.expression()?;
            self.tag_end()?;
            return Ok(Node::Set(name, expr));
        }
        if self.token != Token::TagEnd {
            return Err(self
                .unexpected("`=` or `%}`")
                .hint("set takes one name: {% set x = 1 %}"));
        }
        self.advance()?;
        let body = self.body(&["endset"], Some(("set", at)))?;
        self.skip_word("endset")?;
        self.tag_end()?;
        Ok(Node::Capture(name, body))
    }
}

/// What people most often mean by braces that do not parse.
fn in_braces(flaw: Flaw) -> Flaw {
    flaw.hint("to print double braces as they are, put them between {% raw %} and {% endraw %}")
}

//! Expressions, by precedence: `or`, `and`, `not`, comparisons, `+ -`, `~`, `* / // %`, then the
//! operands of `operand.rs`, each with its filters and tests.

use crate::ast::{Call, CompareOp, Expr, MathOp, Node, Pipe};
use crate::callee::Callee;
use crate::error::Flaw;
use crate::lexer::{Lexer, Token};
use crate::operand::Arg;
use crate::parser::Parser;
use crate::{checks, filters};

const OR: u8 = 0;
const AND: u8 = 1;
const NOT: u8 = 2;
const COMPARE: u8 = 3;

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Or,
    And,
    Compare(CompareOp),
    Math(MathOp),
}

impl<'s> Parser<'s> {
    /// A whole expression, bare or between `{{` and `}}`.
    pub(crate) fn bare(source: &'s str) -> Result<Expr, Flaw> {
        if source.trim_start().starts_with("{{") {
            let mut nodes = Parser::template(source)?;
            nodes.retain(|node| !matches!(node, Node::Text(text) if text.trim().is_empty()));
            return match nodes.pop() {
                Some(Node::Print(expr, _)) if nodes.is_empty() => Ok(expr),
                _ => Err(Flaw::new(
                    0,
                    "one expression is expected and nothing around it",
                )),
            };
        }
        let mut parser = Parser::new(Lexer::expression(source))?;
        let expr = parser.expression()?;
        if parser.token == Token::End {
            Ok(expr)
        } else {
            Err(parser.unexpected("an operator or the end"))
        }
    }

    pub(crate) fn expression(&mut self) -> Result<Expr, Flaw> {
        self.nested(|parser| {
            let then = parser.level(OR)?;
            if !parser.skip_word("if")? {
                return Ok(then);
            }
            let condition = parser.level(OR)?;
            let otherwise = if parser.skip_word("else")? {
                Some(parser.expression()?)
            } else {
                None
            };
            Ok(Expr::If(Box::new((then, condition, otherwise))))
        })
    }

    /// An expression without `if`, as a loop's list is.
    pub(crate) fn operators(&mut self) -> Result<Expr, Flaw> {
        self.nested(|parser| parser.level(OR))
    }

    /// Operators that bind at least as tightly as `min`.
    fn level(&mut self, min: u8) -> Result<Expr, Flaw> {
        let mut left = if min <= NOT && self.skip_word("not")? {
            Expr::Not(Box::new(self.nested(|parser| parser.level(NOT))?))
        } else {
            self.piped()?
        };
        while let Some((level, _)) = self.operator().filter(|(level, _)| *level >= min) {
            left = self.chain(left, level)?;
        }
        Ok(left)
    }

    /// All operators of one level that follow `first`.
    #[inline(never)]
    fn chain(&mut self, first: Expr, level: u8) -> Result<Expr, Flaw> {
        let mut parts = Vec::new();
        let mut compared = Vec::new();
        let mut computed = Vec::new();
        while let Some((_, operator)) = self.operator().filter(|(found, _)| *found == level) {
            let at = self.at;
            if operator == Operator::Compare(CompareOp::NotIn) {
                self.advance()?;
                if !self.is_word("in") {
                    return Err(self.unexpected("`in` after `not`"));
                }
            }
            self.advance()?;
            let right = self.level(level + 1)?;
            match operator {
                Operator::Or | Operator::And => parts.push(right),
                Operator::Compare(op) => compared.push((op, right, at)),
                Operator::Math(op) => computed.push((op, right, at)),
            }
        }
        Ok(match level {
            OR | AND => {
                parts.insert(0, first);
                if level == OR {
                    Expr::Or(parts)
                } else {
                    Expr::And(parts)
                }
            }
            COMPARE => Expr::Compare(Box::new(first), compared),
            _ => Expr::Math(Box::new(first), computed),
        })
    }

    /// The operator at the current token, with its level.
    fn operator(&self) -> Option<(u8, Operator)> {
        let text = match self.token {
            Token::Sym(text) => text,
            Token::Name(text) => text,
            _ => return None,
        };
        Some(match text {
            "or" => (OR, Operator::Or),
            "and" => (AND, Operator::And),
            "==" => (COMPARE, Operator::Compare(CompareOp::Equal)),
            "!=" => (COMPARE, Operator::Compare(CompareOp::NotEqual)),
            "<" => (COMPARE, Operator::Compare(CompareOp::Less)),
            "<=" => (COMPARE, Operator::Compare(CompareOp::LessOrEqual)),
            ">" => (COMPARE, Operator::Compare(CompareOp::Greater)),
            ">=" => (COMPARE, Operator::Compare(CompareOp::GreaterOrEqual)),
            "in" => (COMPARE, Operator::Compare(CompareOp::In)),
            "not" => (COMPARE, Operator::Compare(CompareOp::NotIn)),
            "+" => (4, Operator::Math(MathOp::Add)),
            "-" => (4, Operator::Math(MathOp::Subtract)),
            "~" => (5, Operator::Math(MathOp::Concat)),
            "*" => (6, Operator::Math(MathOp::Multiply)),
            "/" => (6, Operator::Math(MathOp::Divide)),
            "//" => (6, Operator::Math(MathOp::FloorDivide)),
            "%" => (6, Operator::Math(MathOp::Remainder)),
            _ => return None,
        })
    }

    /// An operand with its filters and tests.
    fn piped(&mut self) -> Result<Expr, Flaw> {
        let base = self.operand()?;
        let mut pipes = Vec::new();
        loop {
            if self.skip("|")? {
                pipes.push(self.filter()?);
            } else if self.skip_word("is")? {
                pipes.push(self.test()?);
            } else if pipes.is_empty() {
                return Ok(base);
            } else {
                return Ok(Expr::Pipe(Box::new(base), pipes));
            }
        }
    }

    #[inline(never)]
    fn filter(&mut self) -> Result<Pipe, Flaw> {
        let at = self.at;
        let Token::Name(name) = self.advance()? else {
            return Err(Flaw::new(at, "the name of a filter is expected after `|`"));
        };
        let what = filters::find(name).ok_or_else(|| unknown_filter(name, at))?;
        let args = if self.is("(") {
            self.arguments()?
        } else {
            Vec::new()
        };
        let call = bind(what, args, at)?;
        // What `map`, `select` and `reject` apply is known here if it is written out.
        let applied = call.args.first().and_then(|arg| arg.as_ref()?.as_text());
        if let Some(name) = applied.filter(|_| what.variadic) {
            if what.name == "map" && filters::find(name).is_none() {
                return Err(unknown_filter(name, at));
            }
            if what.name != "map" && checks::find(name).is_none() {
                return Err(unknown_test(name, at));
            }
        }
        Ok(Pipe::Filter(call))
    }

    #[inline(never)]
    fn test(&mut self) -> Result<Pipe, Flaw> {
        let negated = self.skip_word("not")?;
        let at = self.at;
        let Token::Name(name) = self.advance()? else {
            return Err(Flaw::new(at, "the name of a test is expected after `is`"));
        };
        let what = checks::find(name).ok_or_else(|| unknown_test(name, at))?;
        let args = if self.is("(") {
            self.arguments()?
        } else if what.required > 0 {
            let at = self.at;
            vec![(None, self.operand()?, at)]
        } else {
            Vec::new()
        };
        Ok(Pipe::Test(bind(what, args, at)?, negated))
    }
}

/// Puts arguments in the order of the parameters.
fn bind<F>(
    what: &'static Callee<F>,
    args: Vec<Arg<'_>>,
    at: usize,
) -> Result<Call<Callee<F>>, Flaw> {
    let mut slots: Vec<Option<Expr>> = what.params.iter().map(|_| None).collect();
    let mut rest = Vec::new();
    let mut position = 0;
    for (keyword, expr, at) in args {
        let slot = match keyword {
            Some(word) => what
                .params
                .iter()
                .position(|param| param.trim_start_matches('=') == word),
            None => {
                position += 1;
                let param = what.params.get(position - 1);
                param
                    .filter(|param| !param.starts_with('='))
                    .map(|_| position - 1)
            }
        };
        match (slot.and_then(|slot| slots.get_mut(slot)), keyword) {
            (Some(Some(_)), _) => return Err(Flaw::new(at, "the argument is given twice")),
            (Some(slot), _) => *slot = Some(expr),
            (None, None) if what.variadic => rest.push(expr),
            (None, None) => {
                return Err(Flaw::new(
                    at,
                    format!("`{}` takes fewer arguments", what.name),
                ));
            }
            (None, Some(word)) => {
                return Err(Flaw::new(
                    at,
                    format!("`{}` has no argument `{word}`", what.name),
                ));
            }
        }
    }
    for (param, slot) in what.params.iter().zip(&slots).take(what.required) {
        if slot.is_none() {
            let message = format!("`{}` needs the argument `{param}`", what.name);
            return Err(Flaw::new(at, message));
        }
    }
    Ok(Call {
        what,
        args: slots,
        rest,
        at,
    })
}

fn unknown_filter(name: &str, at: usize) -> Flaw {
    let flaw = Flaw::new(at, format!("there is no filter `{name}`"));
    match name {
        "items" => flaw.hint("loop over pairs with {% for key, value in map %}"),
        "d" => flaw.hint("write `default`"),
        "count" => flaw.hint("write `length`"),
        "escape" => flaw.hint("write `e`"),
        "selectattr" | "rejectattr" => flaw.hint("write select(\"eq\", 1, attribute=\"name\")"),
        _ => flaw.hint_text(format!("the filters are {}", filters::names())),
    }
}

fn unknown_test(name: &str, at: usize) -> Flaw {
    Flaw::new(at, format!("there is no test `{name}`"))
        .hint_text(format!("the tests are {}", checks::names()))
}

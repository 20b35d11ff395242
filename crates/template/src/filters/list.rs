//! Filters on lists. A text counts as the list of its characters, a map as the list of its keys.

use std::cmp::Ordering;

use serde_json::Value;

use crate::ast::MathOp;
use crate::callee::{Args, bind};
use crate::checks;
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::number::{self, Num};
use crate::value::{Val, order, type_name};

type Out<'a> = Result<Val<'a>, Fail>;

pub(super) fn length<'a>(_: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let length = match val.get() {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(map) => map.len(),
        other => {
            let message = format!("{} has no length", type_name(other));
            return Err(Fail::new(ErrorKind::Type, message));
        }
    };
    Ok(Val::own(Value::from(length)))
}

pub(super) fn first<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    end(eval, val, args.at, 0)
}

pub(super) fn last<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    end(eval, val, args.at, -1)
}

fn end<'a>(eval: &Eval<'_>, val: Val<'a>, at: usize, index: i64) -> Out<'a> {
    let val = match val.get() {
        Value::String(_) | Value::Array(_) => val,
        Value::Object(_) => Val::own(eval.own_all(eval.items(val)?)?),
        other => {
            let message = format!("{} has no items", type_name(other));
            return Err(Fail::new(ErrorKind::Type, message));
        }
    };
    let kind = type_name(val.get());
    let found = val.item(index);
    Ok(found.unwrap_or_else(|| Val::missing(format!("{kind} is empty and has no such item"), at)))
}

pub(super) fn slice<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    slice_val(eval, val, [args.int(0)?, args.int(1)?])
}

/// The part from `start` up to but without `end`; negative bounds count from the end.
pub(crate) fn slice_val<'a>(eval: &Eval<'_>, val: Val<'a>, bounds: [Option<i64>; 2]) -> Out<'a> {
    let [start, end] = bounds;
    let clamp = |bound: i64, length: usize| {
        let length_signed = i64::try_from(length).unwrap_or(i64::MAX);
        let bound = if bound < 0 {
            bound.saturating_add(length_signed).max(0)
        } else {
            bound
        };
        usize::try_from(bound).unwrap_or(usize::MAX).min(length)
    };
    let range = |length: usize| {
        let start = clamp(start.unwrap_or(0), length);
        let end = end.map_or(length, |end| clamp(end, length));
        (start, end.saturating_sub(start))
    };
    match val.get() {
        Value::String(text) => {
            eval.spend_bytes(text.len())?;
            let (start, count) = range(text.chars().count());
            let part: String = text.chars().skip(start).take(count).collect();
            Ok(Val::text(part))
        }
        Value::Array(_) | Value::Null => {
            let items = eval.items(val)?;
            let (start, count) = range(items.len());
            let part = items.into_iter().skip(start).take(count).collect();
            eval.own_all(part).map(Val::own)
        }
        other => {
            let message = format!("{} cannot be sliced", type_name(other));
            Err(Fail::new(ErrorKind::Type, message))
        }
    }
}

/// What `attribute` names in an item: a path with dots, where digits are an index.
fn attribute<'a>(item: Val<'a>, path: &str, at: usize) -> Val<'a> {
    let mut val = item;
    for key in path.split('.') {
        let found = match key.parse() {
            Ok(index) if val.get().is_array() => val.item(index),
            _ => val.field(key),
        };
        match found {
            Some(found) => val = found,
            None => return Val::missing("an item lacks the attribute", at),
        }
    }
    val
}

/// What the items are judged by: themselves, or their attribute. All are measured.
fn column<'v>(
    eval: &Eval<'_>,
    items: &'v [Val<'_>],
    path: Option<&str>,
    at: usize,
) -> Result<Vec<Val<'v>>, Fail> {
    let mut column = Vec::with_capacity(items.len());
    for item in items {
        let val = match path {
            Some(path) => eval.required(attribute(item.borrow(), path.trim(), at))?,
            None => item.borrow(),
        };
        eval.spend_value(val.get())?;
        column.push(val);
    }
    Ok(column)
}

/// Pays for comparing `length` items with each other.
fn spend_sort(eval: &Eval<'_>, length: usize) -> Result<(), Fail> {
    let rounds = usize::BITS - length.leading_zeros();
    eval.spend_len(length)?;
    eval.spend(u64::from(rounds).saturating_mul(u64::try_from(length).unwrap_or(u64::MAX)))
}

pub(super) fn sort<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let items = eval.items(val)?;
    spend_sort(eval, items.len())?;
    let columns = match args.text(2)? {
        Some(paths) => paths
            .split(',')
            .map(|path| column(eval, &items, Some(path), args.at))
            .collect::<Result<Vec<_>, Fail>>()?,
        None => vec![column(eval, &items, None, args.at)?],
    };
    let (reverse, fold) = (args.flag(0), !args.flag(1));
    let places = merge_sort(items.len(), &|a, b| {
        let mut orderings = columns.iter().map(|column| pair(column, a, b, fold));
        let ordering = orderings
            .find(|ordering| ordering.is_ne())
            .unwrap_or(Ordering::Equal);
        if reverse {
            ordering.reverse()
        } else {
            ordering
        }
    });
    drop(columns);
    pick(eval, items, &places)
}

/// The places `0..length` in order, equal ones as they were. The sort of the standard library is
/// several times as large as this whole module.
fn merge_sort(length: usize, order: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..length).collect();
    let mut width = 1;
    while width < length {
        let mut merged = Vec::with_capacity(length);
        for pair in sorted.chunks(width * 2) {
            let (left, right) = pair.split_at_checked(width).unwrap_or((pair, &[]));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let Some(a) = left.peek() {
                match right.peek() {
                    Some(b) if order(**a, **b) == Ordering::Greater => merged.extend(right.next()),
                    _ => merged.extend(left.next()),
                }
            }
            merged.extend(right);
        }
        sorted = merged;
        width *= 2;
    }
    sorted
}

fn pair(column: &[Val<'_>], a: usize, b: usize, fold: bool) -> Ordering {
    match (column.get(a), column.get(b)) {
        (Some(a), Some(b)) => order(a.get(), b.get(), fold),
        _ => Ordering::Equal,
    }
}

/// The items at the given places, each named at most once.
fn pick<'a>(eval: &Eval<'_>, items: Vec<Val<'a>>, places: &[usize]) -> Out<'a> {
    let mut items: Vec<Option<Val<'a>>> = items.into_iter().map(Some).collect();
    let picked = places
        .iter()
        .filter_map(|place| items.get_mut(*place)?.take())
        .collect();
    eval.own_all(picked).map(Val::own)
}

pub(super) fn unique<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let items = eval.items(val)?;
    spend_sort(eval, items.len())?;
    let keys = column(eval, &items, args.text(1)?, args.at)?;
    let fold = !args.flag(0);
    let mut seen: Vec<usize> = Vec::new();
    let mut places = Vec::new();
    for place in 0..items.len() {
        if let Err(slot) = seen.binary_search_by(|known| pair(&keys, *known, place, fold)) {
            seen.insert(slot, place);
            places.push(place);
        }
    }
    drop(keys);
    pick(eval, items, &places)
}

pub(super) fn min<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    extreme(eval, val, &args, Ordering::Less)
}

pub(super) fn max<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    extreme(eval, val, &args, Ordering::Greater)
}

fn extreme<'a>(eval: &Eval<'_>, val: Val<'a>, args: &Args<'a>, wanted: Ordering) -> Out<'a> {
    let items = eval.items(val)?;
    let keys = column(eval, &items, args.text(1)?, args.at)?;
    let fold = !args.flag(0);
    let mut best = 0;
    for place in 1..items.len() {
        if pair(&keys, place, best, fold) == wanted {
            best = place;
        }
    }
    drop(keys);
    let found = items.into_iter().nth(best);
    Ok(found.unwrap_or_else(|| Val::missing("an empty list has no such item", args.at)))
}

pub(super) fn sum<'a>(eval: &Eval<'_>, val: Val<'a>, mut args: Args<'a>) -> Out<'a> {
    let items = eval.items(val)?;
    let mut total = args.take(1).unwrap_or_else(|| Val::own(Value::from(0)));
    for item in column(eval, &items, args.text(0)?, args.at)? {
        let (Some(a), Some(b)) = (Num::of(total.get()), Num::of(item.get())) else {
            let message = format!("`sum` adds numbers, not {}", type_name(item.get()));
            return Err(Fail::new(ErrorKind::Type, message).hint("convert with map(\"float\")"));
        };
        total = Val::own(number::math(MathOp::Add, a, b)?);
    }
    Ok(total)
}

pub(super) fn join<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let items = eval.items(val)?;
    let separator = args.text(0)?.unwrap_or("");
    let mut out = String::new();
    for (index, item) in column(eval, &items, args.text(1)?, args.at)?
        .iter()
        .enumerate()
    {
        if index > 0 {
            eval.spend_bytes(separator.len())?;
            out.push_str(separator);
        }
        out.push_str(&eval.show(item.get())?);
    }
    Ok(Val::text(out))
}

pub(super) fn map<'a>(eval: &Eval<'_>, val: Val<'a>, mut args: Args<'a>) -> Out<'a> {
    let default = args.take(2);
    let mut mapped = Vec::new();
    if let Some(path) = args.text(1)? {
        for item in eval.items(val)? {
            let found = match (attribute(item, path, args.at), &default) {
                (Val::Missing(_), Some(default)) => eval.own(default.borrow())?,
                (found, _) => eval.own(eval.required(found)?)?,
            };
            mapped.push(found);
        }
        return Ok(Val::own(Value::Array(mapped)));
    }
    let filter = named(args.text(0)?, super::find)?;
    for item in eval.items(val)? {
        let bound = bind(filter, &args.rest, args.at)?;
        mapped.push(eval.own((filter.run)(eval, item, bound)?)?);
    }
    Ok(Val::own(Value::Array(mapped)))
}

pub(super) fn select<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    choose(eval, val, &args, true)
}

pub(super) fn reject<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    choose(eval, val, &args, false)
}

/// The items for which the test, or else their truth, is as wanted.
fn choose<'a>(eval: &Eval<'_>, val: Val<'a>, args: &Args<'a>, wanted: bool) -> Out<'a> {
    let test = match args.text(0)? {
        Some(name) => Some(named(Some(name), checks::find)?),
        None => None,
    };
    let path = args.text(1)?;
    let mut chosen = Vec::new();
    for item in eval.items(val)? {
        let mut judged = match path {
            Some(path) => attribute(item.borrow(), path, args.at),
            None => item.borrow(),
        };
        let holds = match test {
            Some(test) => {
                if !test.takes_missing {
                    judged = eval.required(judged)?;
                }
                (test.run)(eval, &judged, &bind(test, &args.rest, args.at)?)?
            }
            None => judged.is_true(),
        };
        drop(judged);
        if holds == wanted {
            chosen.push(item);
        }
    }
    eval.own_all(chosen).map(Val::own)
}

fn named<T>(name: Option<&str>, find: fn(&str) -> Option<&'static T>) -> Result<&'static T, Fail> {
    name.and_then(find)
        .ok_or_else(|| Fail::new(ErrorKind::Argument, "no known filter or test is named"))
}

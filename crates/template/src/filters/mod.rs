//! The filters: one table, and the functions by sort.

mod convert;
mod date;
mod list;
mod text;

use crate::callee::{Args, Callee};
use crate::context::Eval;
use crate::error::Fail;
use crate::value::Val;

pub(crate) use list::slice_val;

pub(crate) type FilterFn = for<'a> fn(&Eval<'_>, Val<'a>, Args<'a>) -> Result<Val<'a>, Fail>;
/// A filter.
pub(crate) type Filter = Callee<FilterFn>;

pub(crate) fn find(name: &str) -> Option<&'static Filter> {
    FILTERS.iter().find(|filter| filter.name == name)
}

/// The names of all filters, for messages.
pub(crate) fn names() -> String {
    let names: Vec<&str> = FILTERS.iter().map(|filter| filter.name).collect();
    names.join(", ")
}

const fn plain(name: &'static str, run: FilterFn) -> Filter {
    with(name, &[], 0, run)
}

const fn with(
    name: &'static str,
    params: &'static [&'static str],
    required: usize,
    run: FilterFn,
) -> Filter {
    Callee {
        name,
        params,
        required,
        variadic: false,
        takes_missing: false,
        run,
    }
}

/// A filter whose further arguments go to the filter or test it names.
const fn applying(name: &'static str, params: &'static [&'static str], run: FilterFn) -> Filter {
    Callee {
        variadic: true,
        ..with(name, params, 0, run)
    }
}

static FILTERS: &[Filter] = &[
    Callee {
        takes_missing: true,
        ..with("default", &["value", "boolean"], 0, convert::default)
    },
    with("tojson", &["indent"], 0, convert::tojson),
    plain("fromjson", convert::fromjson),
    with("join", &["separator", "attribute"], 0, list::join),
    with("split", &["separator", "maxsplit"], 0, text::split),
    plain("length", list::length),
    with("trim", &["chars"], 0, text::trim),
    plain("upper", text::upper),
    plain("lower", text::lower),
    with("replace", &["old", "new", "count"], 2, text::replace),
    plain("first", list::first),
    plain("last", list::last),
    with("slice", &["start", "end"], 1, list::slice),
    with(
        "sort",
        &["reverse", "case_sensitive", "attribute"],
        0,
        list::sort,
    ),
    with("unique", &["case_sensitive", "attribute"], 0, list::unique),
    applying("map", &["filter", "=attribute", "=default"], list::map),
    applying("select", &["test", "=attribute"], list::select),
    applying("reject", &["test", "=attribute"], list::reject),
    with("sum", &["attribute", "start"], 0, list::sum),
    with("min", &["case_sensitive", "attribute"], 0, list::min),
    with("max", &["case_sensitive", "attribute"], 0, list::max),
    with("round", &["precision", "method"], 0, convert::round),
    with("int", &["default"], 0, convert::int),
    with("float", &["default"], 0, convert::float),
    plain("string", text::string),
    with(
        "truncate",
        &["length", "killwords", "end"],
        0,
        text::truncate,
    ),
    plain("urlencode", text::urlencode),
    plain("e", text::escape),
    with("date", &["format", "tz"], 0, date::date),
];

//! Tables: columns with names and types, and rows.

use serde_json::{Map, Value, json};

use super::{MAX_VALUE_DEPTH, columns, csv, is_deeper};
use crate::values::ValueType;

/// Most cells of a table. Few rows with many different keys would else make a large table of a small value.
pub const MAX_CELLS: usize = 1_000_000;

/// A column of a [`Table`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, unique in the table.
    pub name: String,
    /// `string`, `integer`, `float`, `boolean`, or `json` for a column of mixed or nested values.
    pub value_type: ValueType,
}

/// What `dataframe`, `csv` and lists of objects have in common.
///
/// From CSV text:
/// - The first record names the columns. A column without a name is `column_<n>`, a repeated name gets `_2`, `_3`, ….
/// - A row that is too short ends in empty cells; surplus empty cells are dropped. Both give a warning. A surplus cell
///   with content is an error: nobody knows where it belongs.
/// - An empty field is null; an empty field in quotation marks is the empty text, in columns of text.
/// - A column is `boolean` if all its cells are true or false (in any case), `integer` or `float` if all are numbers
///   as programs write them, else `string`, in which every cell keeps its exact text. `007`, `+49`, `1E5`, `.5`,
///   `1,000` and ` 5` are text; `1e+5` and `1.5E3` are numbers. One integer beyond ±2^53 makes its column text, with a
///   warning.
///
/// From a list of objects: the columns are all keys, in the order of their first appearance; what an object lacks is
/// null. Whole floats count as integers, as in JavaScript. From `{columns, rows}` or `{columns, data}`: a column is
/// its name, or `{name, type}`; a type that is not given is inferred, and one that is given holds for every cell.
///
/// Writing CSV: records end with CRLF, a nested value is compact JSON, a number has the form that templates print.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each as wide as there are columns.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// Reads CSV text, a list of objects, `{columns, rows}` or `{columns, data}`; also gives what people should know.
    ///
    /// # Errors
    /// Why the value is no table, in words that repeat nothing of its content.
    pub fn read(value: &Value) -> Result<(Table, Option<String>), String> {
        if is_deeper(value, MAX_VALUE_DEPTH) {
            return Err(format!(
                "the value is nested more than {MAX_VALUE_DEPTH} deep"
            ));
        }
        let mut notes = Vec::new();
        let table = match value {
            Value::String(text) => from_csv(text, &mut notes),
            Value::Array(items) => from_objects(items, &mut notes),
            Value::Object(map) => from_frame(map, &mut notes),
            Value::Null | Value::Bool(_) | Value::Number(_) => Err(NO_TABLE.to_owned()),
        }?;
        let notes = Some(notes.join(" ")).filter(|notes| !notes.is_empty());
        Ok((table, notes))
    }

    /// `{columns: [{name, type}], rows: [[…]]}`
    pub fn to_dataframe(&self) -> Value {
        let columns = self.columns.iter();
        let columns: Vec<Value> = columns
            .map(|column| json!({"name": column.name, "type": column.value_type.as_str()}))
            .collect();
        json!({"columns": columns, "rows": self.rows})
    }

    /// A list of objects.
    pub fn to_objects(&self) -> Value {
        let object = |row: &Vec<Value>| {
            let names = self.columns.iter().map(|column| column.name.clone());
            Value::Object(names.zip(row.iter().cloned()).collect())
        };
        Value::Array(self.rows.iter().map(object).collect())
    }

    /// CSV text with a header; empty without columns.
    pub fn to_csv(&self) -> String {
        let mut out = String::new();
        if self.columns.is_empty() {
            return out;
        }
        let header = self.columns.iter().map(|column| Some(column.name.clone()));
        csv::write(&header.collect::<Vec<_>>(), &mut out);
        for row in &self.rows {
            let fields: Vec<_> = row.iter().map(columns::field).collect();
            csv::write(&fields, &mut out);
        }
        out
    }
}

const NO_TABLE: &str = "a table is CSV text, a list of objects, {columns, rows} or {columns, data}";

fn from_csv(text: &str, notes: &mut Vec<String>) -> Result<Table, String> {
    let mut rows = csv::read(text)?;
    if rows.is_empty() {
        return Ok(Table::default());
    }
    let header = rows.remove(0);
    let names = header
        .into_iter()
        .map(|name| name.as_str().unwrap_or_default().to_owned());
    let names = unique(names.collect(), true, notes);
    make_rectangular(&mut rows, names.len(), notes)?;
    let types = names.iter().map(|_| None).collect();
    typed(names, types, rows, true, notes)
}

fn from_objects(items: &[Value], notes: &mut Vec<String>) -> Result<Table, String> {
    // A map keeps the order in which its keys came.
    let mut names = Map::new();
    for (index, item) in items.iter().enumerate() {
        let object = item.as_object().ok_or_else(|| {
            format!(
                "item {} of the list is no object; {NO_TABLE}",
                index.saturating_add(1)
            )
        })?;
        for key in object.keys() {
            if !names.contains_key(key) {
                names.insert(key.clone(), Value::Null);
            }
        }
    }
    let names: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
    check_size(names.len(), items.len())?;
    let row = |item: &Value| {
        let cell = |name: &String| item.get(name).cloned().unwrap_or_default();
        names.iter().map(cell).collect()
    };
    let rows = items.iter().map(row).collect();
    let types = names.iter().map(|_| None).collect();
    typed(names, types, rows, false, notes)
}

fn from_frame(map: &Map<String, Value>, notes: &mut Vec<String>) -> Result<Table, String> {
    let list = |key: &str| map.get(key).and_then(Value::as_array);
    let (Some(columns), Some(rows)) = (list("columns"), list("rows").or_else(|| list("data")))
    else {
        return Err(format!(
            "an object without a list of columns and a list of rows; {NO_TABLE}"
        ));
    };
    let mut names = Vec::new();
    let mut types = Vec::new();
    for (index, column) in columns.iter().enumerate() {
        let number = index.saturating_add(1);
        let name = column.get("name").unwrap_or(column).as_str();
        names.push(
            name.ok_or_else(|| format!("column {number} has no name"))?
                .to_owned(),
        );
        let given = column.get("type").filter(|given| !given.is_null());
        let known = given.and_then(Value::as_str).and_then(column_type);
        if given.is_some() && known.is_none() {
            notes.push(format!(
                "The type of column {number} is none of string, integer, float, boolean and json; it was inferred."
            ));
        }
        types.push(known);
    }
    let names = unique(names, false, notes);
    let mut cells = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let row = row
            .as_array()
            .ok_or_else(|| format!("row {} is no list", index.saturating_add(1)))?;
        cells.push(row.clone());
    }
    make_rectangular(&mut cells, names.len(), notes)?;
    typed(names, types, cells, false, notes)
}

fn column_type(name: &str) -> Option<ValueType> {
    let known = [
        ValueType::String,
        ValueType::Integer,
        ValueType::Float,
        ValueType::Boolean,
        ValueType::Json,
    ];
    known
        .into_iter()
        .find(|value_type| value_type.as_str() == name)
}

/// Converts the cells of columns whose type is given, and infers the others.
fn typed(
    names: Vec<String>,
    types: Vec<Option<ValueType>>,
    mut rows: Vec<Vec<Value>>,
    is_text: bool,
    notes: &mut Vec<String>,
) -> Result<Table, String> {
    let mut columns = Vec::new();
    for (index, (name, given)) in names.into_iter().zip(types).enumerate() {
        let number = index.saturating_add(1);
        let value_type = match given {
            Some(value_type) => {
                for (row, cells) in rows.iter_mut().enumerate() {
                    if cells
                        .get_mut(index)
                        .is_some_and(|cell| !columns::convert(cell, value_type))
                    {
                        return Err(format!(
                            "the cell in row {}, column {number} is no {}",
                            row.saturating_add(1),
                            value_type.as_str()
                        ));
                    }
                }
                value_type
            }
            None => {
                let (value_type, is_kept) = columns::infer(&mut rows, index, is_text);
                if is_kept {
                    notes.push(format!(
                        "Column {number} holds integers beyond ±2^53 and is kept as text, so that no digit is lost."
                    ));
                }
                value_type
            }
        };
        columns.push(Column { name, value_type });
    }
    Ok(Table { columns, rows })
}

fn check_size(width: usize, rows: usize) -> Result<(), String> {
    if width.saturating_mul(rows) > MAX_CELLS {
        return Err(format!(
            "{rows} rows of {width} columns are more than {MAX_CELLS} cells"
        ));
    }
    Ok(())
}

/// Makes every row as wide as there are columns.
fn make_rectangular(
    rows: &mut [Vec<Value>],
    width: usize,
    notes: &mut Vec<String>,
) -> Result<(), String> {
    check_size(width, rows.len())?;
    let (mut short, mut long) = (0_usize, 0_usize);
    for (index, row) in rows.iter_mut().enumerate() {
        let is_empty = |cell: &Value| cell.is_null() || cell.as_str() == Some("");
        if !row.iter().skip(width).all(is_empty) {
            return Err(format!(
                "row {} has {} cells, but there are {width} columns; is a comma not in quotation marks?",
                index.saturating_add(1),
                row.len()
            ));
        }
        short += usize::from(row.len() < width);
        long += usize::from(row.len() > width);
        row.resize(width, Value::Null);
    }
    if short > 0 {
        notes.push(format!(
            "{short} rows with fewer cells than there are columns were filled up with empty ones."
        ));
    }
    if long > 0 {
        notes.push(format!(
            "Empty cells beyond the last column of {long} rows were left out."
        ));
    }
    Ok(())
}

/// Names for all columns, each once. In CSV text a blank name is none.
fn unique(given: Vec<String>, is_text: bool, notes: &mut Vec<String>) -> Vec<String> {
    // Whether a name was given, and whether its first column has it already.
    let mut taken: Map<String, Value> = given
        .iter()
        .map(|name| (name.clone(), Value::Bool(false)))
        .collect();
    let mut next: Map<String, Value> = Map::new();
    let mut renamed = 0_usize;
    let mut names = Vec::new();
    for (index, name) in given.into_iter().enumerate() {
        let is_blank = is_text && name.trim().is_empty();
        let is_first = !is_blank && taken.get(&name) == Some(&Value::Bool(false));
        if is_first {
            taken.insert(name.clone(), Value::Bool(true));
            names.push(name);
            continue;
        }
        let (stem, first) = if is_blank {
            ("column".to_owned(), index.saturating_add(1))
        } else {
            renamed += 1;
            (name, 2)
        };
        let before = next.get(&stem).and_then(Value::as_u64).unwrap_or(0);
        let mut number = before.max(u64::try_from(first).unwrap_or(u64::MAX));
        let mut candidate = format!("{stem}_{number}");
        while taken.contains_key(&candidate) {
            number += 1;
            candidate = format!("{stem}_{number}");
        }
        next.insert(stem, Value::from(number.saturating_add(1)));
        taken.insert(candidate.clone(), Value::Bool(true));
        names.push(candidate);
    }
    if renamed > 0 {
        notes.push(format!(
            "{renamed} columns had a name that another has too and were renamed."
        ));
    }
    names
}

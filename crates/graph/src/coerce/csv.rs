//! CSV as RFC 4180 has it: records of fields, quoted or not.
//!
//! Records end with CRLF, LF or CR; the last one may end with the text. A byte order mark is dropped, a blank line is
//! no record. White space belongs to its field. A quotation mark inside a field without quotation marks is an error,
//! as in the standard: text that is not CSV at all, such as JSON, is not taken for it.

use serde_json::Value;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The records. A field is text; one that is empty and not quoted is null.
pub(super) fn read(text: &str) -> Result<Vec<Vec<Value>>, String> {
    let mut rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut records = Vec::new();
    let mut record = Vec::new();
    while !rest.is_empty() || !record.is_empty() {
        let (field, after) =
            field(rest).map_err(|fault| format!("record {}: {fault}", records.len() + 1))?;
        record.push(field);
        if let Some(next) = after.strip_prefix(',') {
            rest = next;
            continue;
        }
        rest = after
            .strip_prefix("\r\n")
            .or_else(|| after.strip_prefix(LINE_ENDS))
            .unwrap_or(after);
        let ended = std::mem::take(&mut record);
        if ended != [Value::Null] {
            records.push(ended);
        }
    }
    Ok(records)
}

const LINE_ENDS: [char; 2] = ['\r', '\n'];

/// The field at the beginning of the text, and what follows it: a comma, the end of a line, or nothing.
fn field(text: &str) -> Result<(Value, &str), &'static str> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted_field(quoted);
    }
    let end = text.find([',', '"', '\r', '\n']).unwrap_or(text.len());
    let (field, after) = text.split_at(end);
    if after.starts_with('"') {
        return Err(
            "a quotation mark stands inside a field that does not begin with one; write the field in quotation marks and double those inside it",
        );
    }
    let value = if field.is_empty() {
        Value::Null
    } else {
        Value::from(field)
    };
    Ok((value, after))
}

fn quoted_field(text: &str) -> Result<(Value, &str), &'static str> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest
            .split_once('"')
            .ok_or("a quotation mark is not closed")?;
        field.push_str(part);
        if let Some(next) = after.strip_prefix('"') {
            field.push('"');
            rest = next;
        } else if after.is_empty() || after.starts_with([',', '\r', '\n']) {
            return Ok((Value::String(field), after));
        } else {
            return Err("text follows a closing quotation mark");
        }
    }
}

/// Adds a record. `None` is an empty field; the empty text is quoted, and so is an empty field that stands alone,
/// since a blank line is no record.
pub(super) fn write(record: &[Option<String>], out: &mut String) {
    for (index, field) in record.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        match field {
            Some(text) if needs_quotes(text) => {
                out.push('"');
                out.push_str(&text.replace('"', "\"\""));
                out.push('"');
            }
            Some(text) => out.push_str(text),
            None if record.len() == 1 => out.push_str("\"\""),
            None => {}
        }
    }
    out.push_str("\r\n");
}

fn needs_quotes(text: &str) -> bool {
    text.is_empty()
        || text.starts_with([BYTE_ORDER_MARK, ' ', '\t'])
        || text.ends_with([' ', '\t'])
        || text.contains([',', '"', '\r', '\n'])
}

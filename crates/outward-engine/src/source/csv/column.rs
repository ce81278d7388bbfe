//! A text column being filled, field by field.

use arrow_array::StringArray;
use arrow_buffer::{Buffer, NullBufferBuilder, OffsetBuffer, ScalarBuffer};
use outward_spec::{Error, Result};

use super::super::missing::MissingTokens;
use super::record::FieldSpan;

/// The values of a column so far.
pub(super) struct TextColumn {
    offsets: Vec<i32>,
    bytes: Vec<u8>,
    valid: NullBufferBuilder,
}

impl TextColumn {
    pub(super) fn new() -> Self {
        Self { offsets: vec![0], bytes: Vec::new(), valid: NullBufferBuilder::new(0) }
    }

    /// Bytes held.
    pub(super) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Adds a field; an empty one and a missing token become null.
    #[inline]
    pub(super) fn push(&mut self, text: &[u8], span: FieldSpan, missing: &MissingTokens) -> Result<()> {
        let start = self.bytes.len();
        let field = &text[span.start..span.end];
        if span.doubled {
            self.push_undoubled(field);
        } else {
            self.bytes.extend_from_slice(field);
        }
        // A field of blanks says as little as an empty one and looks the same.
        let field = &self.bytes[start..];
        let present = !is_blank(field) && !missing.has(field);
        if !present {
            self.bytes.truncate(start);
        }
        self.valid.append(present);
        self.offsets.push(i32::try_from(self.bytes.len()).map_err(Error::bug)?);
        Ok(())
    }

    fn push_undoubled(&mut self, field: &[u8]) {
        let mut quote_before = false;
        for byte in field {
            quote_before = *byte == b'"' && !quote_before;
            if !quote_before {
                self.bytes.push(*byte);
            }
        }
    }

    /// The column, leaving this one empty.
    pub(super) fn finish(&mut self) -> Result<StringArray> {
        let room = (self.offsets.len(), self.bytes.len());
        let offsets = std::mem::replace(&mut self.offsets, Vec::with_capacity(room.0));
        let bytes = std::mem::replace(&mut self.bytes, Vec::with_capacity(room.1));
        self.offsets.push(0);
        let nulls = self.valid.finish();
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        StringArray::try_new(offsets, Buffer::from_vec(bytes), nulls).map_err(Error::bug)
    }
}

/// Whether a field has blanks only, those of other scripts and the non-breaking ones among them.
#[inline]
fn is_blank(field: &[u8]) -> bool {
    let rest = field.trim_ascii_start();
    match rest.first() {
        None => true,
        Some(byte) if byte.is_ascii_graphic() => false,
        Some(_) => std::str::from_utf8(rest).is_ok_and(|text| text.trim().is_empty()),
    }
}

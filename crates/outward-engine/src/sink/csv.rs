//! CSV files: comma, quotes only where needed, nothing between the commas for a missing value.

use std::io::{BufWriter, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_csv::WriterBuilder;
use arrow_schema::SchemaRef;
use flate2::Compression;
use flate2::write::GzEncoder;
use outward_spec::Result;

use super::stage::{StagedFile, StagingPlace};
use super::{Sink, Written, under_schema};

const BUFFER_BYTES: usize = 256 * 1024;

/// A CSV file being written.
pub(super) struct CsvSink {
    stage: StagingPlace,
    out: CsvOutput,
    schema: SchemaRef,
    delimiter: u8,
    rows: u64,
}

/// The way to the file, with or without compression.
enum CsvOutput {
    Plain(BufWriter<StagedFile>),
    Gzip(BufWriter<GzEncoder<StagedFile>>),
    Zstd(BufWriter<zstd::stream::write::Encoder<'static, StagedFile>>),
}

impl CsvSink {
    pub(super) fn create(path: &Path, schema: SchemaRef) -> Result<Box<dyn Sink>> {
        let (stage, file) = StagingPlace::create(path)?;
        Ok(Box::new(Self::on(stage, file, schema)?))
    }

    fn on(stage: StagingPlace, file: StagedFile, schema: SchemaRef) -> Result<Self> {
        let name = stage.target().to_string_lossy().to_lowercase();
        let plain = name.trim_end_matches(".gz").trim_end_matches(".zst");
        let delimiter = if plain.ends_with(".tsv") { b'\t' } else { b',' };
        let out = CsvOutput::new(&name, file).map_err(|e| stage.refused(e))?;
        let mut sink = Self { stage, out, schema: schema.clone(), delimiter, rows: 0 };
        sink.append(&RecordBatch::new_empty(schema), true)?;
        Ok(sink)
    }

    fn append(&mut self, batch: &RecordBatch, header: bool) -> Result<()> {
        let mut writer =
            WriterBuilder::new().with_header(header).with_delimiter(self.delimiter).build(self.out.writer());
        let written = writer.write(batch);
        drop(writer);
        written.map_err(|e| self.stage.refused(e))
    }
}

impl Sink for CsvSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = under_schema(batch, &self.schema)?;
        self.append(&batch, false)?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { stage, out, rows, .. } = *self;
        out.finish().map_err(|e| stage.refused(e))?;
        Ok(Written { rows, bytes: stage.publish()? })
    }
}

impl CsvOutput {
    fn new(name: &str, file: StagedFile) -> std::io::Result<Self> {
        Ok(if name.ends_with(".gz") {
            Self::Gzip(BufWriter::with_capacity(BUFFER_BYTES, GzEncoder::new(file, Compression::default())))
        } else if name.ends_with(".zst") {
            let mut encoder = zstd::stream::write::Encoder::new(file, 3)?;
            encoder.include_checksum(true)?;
            Self::Zstd(BufWriter::with_capacity(BUFFER_BYTES, encoder))
        } else {
            Self::Plain(BufWriter::with_capacity(BUFFER_BYTES, file))
        })
    }

    fn writer(&mut self) -> WithoutFlush<'_> {
        WithoutFlush(match self {
            Self::Plain(out) => out,
            Self::Gzip(out) => out,
            Self::Zstd(out) => out,
        })
    }

    fn finish(self) -> std::io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Gzip(out) => out.into_inner().map_err(|e| e.into_error())?.finish().map(|_| ()),
            Self::Zstd(out) => out.into_inner().map_err(|e| e.into_error())?.finish().map(|_| ()),
        }
    }
}

/// Arrow's writer flushes after every batch. A compressor would then begin anew with each.
struct WithoutFlush<'a>(&'a mut dyn Write);

impl Write for WithoutFlush<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use std::sync::Arc;

    use super::super::stage::full;
    use super::*;
    use arrow_array::{ArrayRef, StringArray};

    #[test]
    fn a_full_disk_is_told_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let Some((stage, file)) = full::stage(folder.path()) else { return };
        let column: ArrayRef = Arc::new(StringArray::from(vec!["x".repeat(1000); 1000]));
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let error = CsvSink::on(stage, file, batch.schema())
            .and_then(|mut sink| {
                sink.write(&batch)?;
                Box::new(sink).finish()
            })
            .unwrap_err();
        full::assert_full(&error, folder.path());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

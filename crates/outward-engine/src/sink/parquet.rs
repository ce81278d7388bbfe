//! Parquet files: zstd, dictionaries, statistics, and the same bytes for the same records.

use std::io::BufWriter;
use std::path::Path;

use ::parquet::arrow::ArrowWriter;
use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use outward_spec::{Error, Result};

use super::stage::{StagedFile, StagingPlace};
use super::{Sink, Written, under_schema};

/// Small enough that a few cores share a file of a million records, large enough that dictionaries pay.
const ROW_GROUP: usize = 122_880;

/// A Parquet file being written.
pub(super) struct ParquetSink {
    stage: StagingPlace,
    writer: ArrowWriter<BufWriter<StagedFile>>,
    schema: SchemaRef,
    rows: u64,
}

impl ParquetSink {
    pub(super) fn create(path: &Path, schema: SchemaRef) -> Result<Box<dyn Sink>> {
        let (stage, file) = StagingPlace::create(path)?;
        Ok(Box::new(Self::on(stage, file, schema)?))
    }

    fn on(stage: StagingPlace, file: StagedFile, schema: SchemaRef) -> Result<Self> {
        let properties = WriterProperties::builder()
            .set_created_by("outward".to_owned())
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(1).map_err(Error::bug)?))
            .set_dictionary_enabled(true)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .build();
        let out = BufWriter::with_capacity(256 * 1024, file);
        let writer = ArrowWriter::try_new(out, schema.clone(), Some(properties)).map_err(|e| stage.refused(e))?;
        Ok(Self { stage, writer, schema, rows: 0 })
    }
}

impl Sink for ParquetSink {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let batch = under_schema(batch, &self.schema)?;
        self.writer.write(&batch).map_err(|e| self.stage.refused(e))?;
        self.rows += batch.num_rows() as u64;
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { stage, mut writer, rows, .. } = *self;
        writer.finish().map_err(|e| stage.refused(e))?;
        std::io::Write::flush(writer.inner_mut()).map_err(|e| stage.refused(e))?;
        Ok(Written { rows, bytes: stage.publish()? })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use std::sync::Arc;

    use super::super::stage::full;
    use super::*;
    use arrow_array::{ArrayRef, Int64Array};

    #[test]
    fn a_full_disk_is_told_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let Some((stage, file)) = full::stage(folder.path()) else { return };
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10_000));
        let batch = RecordBatch::try_from_iter([("a", column)]).unwrap();
        let error = ParquetSink::on(stage, file, batch.schema())
            .and_then(|mut sink| {
                sink.write(&batch)?;
                Box::new(sink).finish()
            })
            .unwrap_err();
        full::assert_full(&error, folder.path());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

//! Rows to the bytes of a CSV file.

use crate::report::Artifact;
use crate::report::column::Cell;
use crate::report::number::NumberBuffer;

/// A file being written. Writing to memory cannot fail, so nothing here does.
pub(super) struct CsvFile {
    writer: csv::Writer<Vec<u8>>,
    numbers: NumberBuffer,
}

impl CsvFile {
    /// Starts a file with its header and room for so many rows.
    pub(super) fn new<'a>(header: impl ExactSizeIterator<Item = &'a str>, rows: usize) -> Self {
        let room = 16 * header.len() * (rows + 1);
        let writer = csv::WriterBuilder::new()
            .buffer_capacity(1 << 16)
            .from_writer(Vec::with_capacity(room.min(1 << 26)));
        let mut file = Self { writer, numbers: NumberBuffer::new() };
        for name in header {
            write_field(&mut file.writer, name.as_bytes());
        }
        file.end_row();
        file
    }

    /// Adds one cell to the row.
    pub(super) fn cell(&mut self, cell: Cell<'_>) {
        let Self { writer, numbers } = self;
        write_field(writer, cell.write(numbers));
    }

    /// Ends the row.
    pub(super) fn end_row(&mut self) {
        let written = self.writer.write_record(None::<&[u8]>);
        debug_assert!(written.is_ok(), "memory takes every record of equal length");
    }

    /// The file under this name.
    pub(super) fn finish(self, file_name: &str) -> Artifact {
        let bytes = self.writer.into_inner().unwrap_or_default();
        Artifact { file_name: file_name.to_owned(), bytes }
    }
}

fn write_field(writer: &mut csv::Writer<Vec<u8>>, bytes: &[u8]) {
    let written = writer.write_field(bytes);
    debug_assert!(written.is_ok(), "memory takes every field");
}

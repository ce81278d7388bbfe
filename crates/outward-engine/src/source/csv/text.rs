//! The text of a CSV file: read, decompressed, checked to be UTF-8 and free of NUL bytes, stretch by stretch.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use encoding_rs::{Decoder, WINDOWS_1252};
use flate2::bufread::MultiGzDecoder;
use outward_spec::{Encoding, Error, Result};

const READ_BYTES: usize = 256 * 1024;
const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Text that comes in stretches.
pub(super) struct Text {
    bytes: Box<dyn Read + Send>,
    compression: Option<&'static str>,
    /// How the bytes become UTF-8, where they are not already.
    decoder: Option<Decoder>,
    path: PathBuf,
    /// Bytes (after decompression) before those in `raw`.
    offset: u64,
    /// The bytes last read. They begin with the rest of a character that the read before cut in two.
    raw: Vec<u8>,
    ended: bool,
}

impl Text {
    /// Opens a file; bytes read from disk are added to `progress`.
    pub(super) fn open(path: &Path, encoding: Option<Encoding>, progress: Arc<AtomicU64>) -> Result<Self> {
        let refused = |e| Error::io("read", path, e);
        let mut file = File::open(path).map_err(refused)?;
        let mut magic = Vec::with_capacity(4);
        file.by_ref().take(4).read_to_end(&mut magic).map_err(refused)?;
        file.rewind().map_err(refused)?;
        let compression = compression(path, &magic)?;
        let file = BufReader::with_capacity(READ_BYTES, CountingReader { file, progress });
        let bytes: Box<dyn Read + Send> = match compression {
            Some("gzip") => Box::new(MultiGzDecoder::new(file)),
            Some(_) => Box::new(zstd::stream::read::Decoder::with_buffer(file).map_err(refused)?),
            None => Box::new(file),
        };
        let decoder =
            (encoding == Some(Encoding::Windows1252)).then(|| WINDOWS_1252.new_decoder_without_bom_handling());
        Ok(Self { bytes, compression, decoder, path: path.to_owned(), offset: 0, raw: Vec::new(), ended: false })
    }

    /// Appends the next stretch of text; false at the end.
    pub(super) fn append_to(&mut self, text: &mut Vec<u8>) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let carried = self.raw.len();
        self.fill(carried + READ_BYTES)?;
        let from = if self.offset == 0 && carried == 0 { self.open_mark()? } else { 0 };
        if self.raw.contains(&0) {
            return Err(self.nul());
        }
        let taken = match &mut self.decoder {
            Some(decoder) => {
                decode(decoder, &self.raw[from..], text);
                self.raw.len()
            }
            None => {
                let valid = from + self.valid_text(from)?;
                text.extend_from_slice(&self.raw[from..valid]);
                valid
            }
        };
        self.offset += taken as u64;
        self.raw.drain(..taken);
        Ok(true)
    }

    /// Reads until `raw` has this length or the file ends.
    fn fill(&mut self, length: usize) -> Result<()> {
        let mut have = self.raw.len();
        self.raw.resize(length, 0);
        while have < length {
            match self.bytes.read(&mut self.raw[have..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(read) => have += read,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(self.refused(e)),
            }
        }
        self.raw.truncate(have);
        Ok(())
    }

    /// The length of the byte-order mark. A mark of UTF-8 decides the encoding, even if the spec names another.
    fn open_mark(&mut self) -> Result<usize> {
        if self.raw.starts_with(UTF8_MARK) {
            self.decoder = None;
            return Ok(UTF8_MARK.len());
        }
        if self.raw.starts_with(b"\xFF\xFE") || self.raw.starts_with(b"\xFE\xFF") {
            return Err(Error::input("the text is in UTF-16")
                .file(&self.path)
                .byte(0)
                .help("save it as CSV in UTF-8")
                .into());
        }
        Ok(0)
    }

    /// How many bytes from `from` are whole characters; the rest waits for the next stretch.
    fn valid_text(&self, from: usize) -> Result<usize> {
        let Err(e) = std::str::from_utf8(&self.raw[from..]) else { return Ok(self.raw.len() - from) };
        if e.error_len().is_none() && !self.ended {
            return Ok(e.valid_up_to());
        }
        Err(Error::input("the text is not UTF-8")
            .file(&self.path)
            .byte(self.offset + (from + e.valid_up_to()) as u64)
            .help("say --encoding windows-1252 (in a spec, encoding = \"windows-1252\") for an older Western European file, or save it as UTF-8")
            .into())
    }

    fn nul(&self) -> Error {
        let place = self.raw.iter().position(|byte| *byte == 0).unwrap_or(0);
        Error::input("there is a NUL byte in the text")
            .file(&self.path)
            .byte(self.offset + place as u64)
            .help("this is not a plain text file, or it was damaged; export it again as CSV in UTF-8")
            .into()
    }

    fn refused(&self, e: std::io::Error) -> Error {
        let Some(kind) = self.compression else { return Error::io("read", &self.path, e) };
        let fault = match e.kind() {
            ErrorKind::UnexpectedEof => Error::input(format!("the {kind} data end too early: the file is cut off")),
            ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
                Error::input(format!("the {kind} data are damaged"))
            }
            _ => return Error::io("read", &self.path, e),
        };
        fault.file(&self.path).help("copy the file again from its source").into()
    }
}

/// The compression, by the first bytes. A name that says otherwise is an error.
fn compression(path: &Path, magic: &[u8]) -> Result<Option<&'static str>> {
    let found = match magic {
        [0x1F, 0x8B, ..] => Some("gzip"),
        [0x28, 0xB5, 0x2F, 0xFD] => Some("zstd"),
        _ => None,
    };
    let named = match path.extension().and_then(|end| end.to_str()).map(str::to_lowercase).as_deref() {
        Some("gz") => Some("gzip"),
        Some("zst") => Some("zstd"),
        _ => None,
    };
    match (found, named) {
        (None, Some(kind)) if !magic.is_empty() => {
            Err(Error::input(format!("the file is not {kind} data, though its name says so"))
                .file(path)
                .help("rename it if it is plain text, or copy it again if it was cut off")
                .into())
        }
        _ => Ok(found),
    }
}

/// Windows-1252 has a character for every byte, so nothing can go wrong here.
fn decode(decoder: &mut Decoder, bytes: &[u8], text: &mut Vec<u8>) {
    let start = text.len();
    let room = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(bytes.len().saturating_mul(3));
    text.resize(start + room, 0);
    let (_, _, written, _) = decoder.decode_to_utf8(bytes, &mut text[start..], false);
    text.truncate(start + written);
}

/// Counts what is read from disk, for a progress bar.
struct CountingReader {
    file: File,
    progress: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.progress.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

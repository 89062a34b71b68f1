//! The buffers of an export: how they are laid out, written and checked. Numbers are little-endian.
//!
//! ```text
//!  byte 0        8     10    12      16         24      28      32     36      40        48        56       64
//!       +--------+-----+-----+-------+----------+-------+-------+------+-------+---------+---------+--------+------
//!       | magic  | ver | fl. | 64    | export   | no.   | count | val. | CRC32 | payload | present | window | records
//!       +--------+-----+-----+-------+----------+-------+-------+------+-------+---------+---------+--------+------
//!  magic    89 51 43 48 0d 0a 1a 0a ("QCH" and what a transfer as text would change)
//!  ver      1; a reader refuses others     fl.   bit 0: the last buffer of its export; the other bits are 0
//!  export   names the export: random       no.   of this buffer in its export, from 0
//!  count    of records                     val.  value_size of the history
//!  CRC32    (IEEE 802.3, as zlib's) of the whole buffer with these four bytes 0
//!  payload  bytes of the records           present, window   of the history when the buffer was written, in ns
//!
//!  record:  key, 16 B | inserted_at_ns, 8 B | 0 historical, 1 live | value, if live: value_size bytes
//! ```

use super::options::MAX_TIME_NS;
use super::types::Key;
use std::fmt;

pub(super) const HEADER_BYTES: usize = 64;
pub(super) const RECORD_BYTES: usize = 25;
const MAGIC: [u8; 8] = [0x89, b'Q', b'C', b'H', 0x0d, 0x0a, 0x1a, 0x0a];
const VERSION: u16 = 1;
const LAST: u16 = 1;
const CHECKSUM_AT: usize = 36;
const HISTORICAL: u8 = 0;
const LIVE: u8 = 1;

/// What stands before the records of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferInfo {
    /// Names the export that the buffer belongs to.
    pub export_id: u64,
    /// Which buffer of its export it is, from 0.
    pub number: u32,
    /// Whether it is the last of its export.
    pub is_last: bool,
    /// How many entries it holds.
    pub entries: u32,
    /// Bytes of value per live entry.
    pub value_size: u32,
    /// The largest time that the exported history had seen, or 0 before any.
    pub present_ns: i64,
    /// The window of the exported history.
    pub window_ns: i64,
}

impl BufferInfo {
    /// Checks all of a buffer and tells what stands at its beginning. O(bytes).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(buffer: &[u8]) -> Result<BufferInfo, BadBuffer> {
        check(buffer)
    }
}

/// What is wrong with a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum BadBuffer {
    /// It is shorter than its header says, or than a header.
    Truncated {
        /// How long it is.
        len: u64,
        /// How long it has to be.
        expected: u64,
    },
    /// It is longer than its header says.
    Trailing {
        /// How long it is.
        len: u64,
        /// How long it has to be.
        expected: u64,
    },
    /// It does not begin as a buffer of an export does.
    Foreign,
    /// It is of a version that this one does not know.
    Version {
        /// That version.
        version: u16,
    },
    /// Some byte is not what it was.
    Checksum,
    /// The header contradicts itself or the records.
    Malformed {
        /// Of what.
        what: &'static str,
    },
}

impl fmt::Display for BadBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BadBuffer::Truncated { len, expected } => {
                write!(f, "the buffer is truncated: {len} bytes are here, {expected} there have to be")
            }
            BadBuffer::Trailing { len, expected } => {
                write!(f, "the buffer ends after {expected} bytes, but {len} are given")
            }
            BadBuffer::Foreign => write!(f, "the buffer does not begin like one that an export wrote"),
            BadBuffer::Version { version } => {
                write!(f, "the buffer is of version {version}, and this library reads version {VERSION} only")
            }
            BadBuffer::Checksum => write!(f, "the buffer was changed: its checksum is not right"),
            BadBuffer::Malformed { what } => write!(f, "the buffer is malformed: {what} makes no sense"),
        }
    }
}

/// An entry in a buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record<'a> {
    pub(super) key: &'a Key,
    pub(super) inserted_at_ns: i64,
    /// `None` if it is historical.
    pub(super) value: Option<&'a [u8]>,
}

fn put(buffer: &mut [u8], at: usize, bytes: &[u8]) {
    if let Some(place) = buffer.get_mut(at..at + bytes.len()) {
        place.copy_from_slice(bytes);
    }
}

fn get<const N: usize>(buffer: &[u8], at: usize) -> [u8; N] {
    buffer.get(at..at + N).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; N])
}

/// Writes a record at `at` and answers where it ends; `None` if the buffer is too short.
pub(super) fn put_record(buffer: &mut [u8], at: usize, record: &Record<'_>) -> Option<usize> {
    let value = record.value.unwrap_or_default();
    let end = at + RECORD_BYTES + value.len();
    let place = buffer.get_mut(at..end)?;
    put(place, 0, &record.key.0);
    put(place, 16, &record.inserted_at_ns.to_le_bytes());
    put(place, 24, &[if record.value.is_some() { LIVE } else { HISTORICAL }]);
    put(place, RECORD_BYTES, value);
    Some(end)
}

/// Finishes a buffer whose records are written: `buffer` is all of it.
pub(super) fn put_header(buffer: &mut [u8], info: &BufferInfo) {
    let payload = buffer.len().saturating_sub(HEADER_BYTES) as u64;
    put(buffer, 0, &MAGIC);
    put(buffer, 8, &VERSION.to_le_bytes());
    put(buffer, 10, &(if info.is_last { LAST } else { 0 }).to_le_bytes());
    put(buffer, 12, &(HEADER_BYTES as u32).to_le_bytes());
    put(buffer, 16, &info.export_id.to_le_bytes());
    put(buffer, 24, &info.number.to_le_bytes());
    put(buffer, 28, &info.entries.to_le_bytes());
    put(buffer, 32, &info.value_size.to_le_bytes());
    put(buffer, CHECKSUM_AT, &[0; 4]);
    put(buffer, 40, &payload.to_le_bytes());
    put(buffer, 48, &info.present_ns.to_le_bytes());
    put(buffer, 56, &info.window_ns.to_le_bytes());
    let checksum = crc32fast::hash(buffer);
    put(buffer, CHECKSUM_AT, &checksum.to_le_bytes());
}

/// Checks all of a buffer, the records too.
pub(super) fn check(buffer: &[u8]) -> Result<BufferInfo, BadBuffer> {
    let len = buffer.len() as u64;
    if len < MAGIC.len() as u64 || get::<8>(buffer, 0) != MAGIC {
        let begins_like_one = MAGIC.starts_with(buffer.get(..MAGIC.len()).unwrap_or(buffer));
        return Err(if begins_like_one {
            BadBuffer::Truncated { len, expected: HEADER_BYTES as u64 }
        } else {
            BadBuffer::Foreign
        });
    }
    if len < HEADER_BYTES as u64 {
        return Err(BadBuffer::Truncated { len, expected: HEADER_BYTES as u64 });
    }
    let version = u16::from_le_bytes(get(buffer, 8));
    if version != VERSION {
        return Err(BadBuffer::Version { version });
    }
    let expected = u64::from_le_bytes(get(buffer, 40)).saturating_add(HEADER_BYTES as u64);
    if len < expected {
        return Err(BadBuffer::Truncated { len, expected });
    }
    if len > expected {
        return Err(BadBuffer::Trailing { len, expected });
    }
    if checksum_of(buffer) != u32::from_le_bytes(get(buffer, CHECKSUM_AT)) {
        return Err(BadBuffer::Checksum);
    }
    let flags = u16::from_le_bytes(get(buffer, 10));
    if flags & !LAST != 0 || u32::from_le_bytes(get(buffer, 12)) != HEADER_BYTES as u32 {
        return Err(BadBuffer::Malformed { what: "the header" });
    }
    let info = BufferInfo {
        export_id: u64::from_le_bytes(get(buffer, 16)),
        number: u32::from_le_bytes(get(buffer, 24)),
        is_last: flags & LAST != 0,
        entries: u32::from_le_bytes(get(buffer, 28)),
        value_size: u32::from_le_bytes(get(buffer, 32)),
        present_ns: i64::from_le_bytes(get(buffer, 48)),
        window_ns: i64::from_le_bytes(get(buffer, 56)),
    };
    check_records(buffer, &info)?;
    Ok(info)
}

fn checksum_of(buffer: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(buffer.get(..CHECKSUM_AT).unwrap_or_default());
    hasher.update(&[0; 4]);
    hasher.update(buffer.get(CHECKSUM_AT + 4..).unwrap_or_default());
    hasher.finalize()
}

/// A buffer with the right checksum may come from a careless writer all the same.
fn check_records(buffer: &[u8], info: &BufferInfo) -> Result<(), BadBuffer> {
    let mut at = HEADER_BYTES;
    for _ in 0..info.entries {
        let (record, end) =
            record(buffer, at, info.value_size).ok_or(BadBuffer::Malformed { what: "a record" })?;
        if record.inserted_at_ns.unsigned_abs() > MAX_TIME_NS as u64 {
            return Err(BadBuffer::Malformed { what: "an insert time" });
        }
        at = end;
    }
    if at == buffer.len() { Ok(()) } else { Err(BadBuffer::Malformed { what: "the number of records" }) }
}

/// The record at `at`, and where it ends; `None` if there is none.
pub(super) fn record(buffer: &[u8], at: usize, value_size: u32) -> Option<(Record<'_>, usize)> {
    let fixed = buffer.get(at..at.checked_add(RECORD_BYTES)?)?;
    let key = Key::of_bytes(fixed.get(..16)?)?;
    let inserted_at_ns = i64::from_le_bytes(get(fixed, 16));
    let end = at + RECORD_BYTES;
    match *fixed.get(24)? {
        HISTORICAL => Some((Record { key, inserted_at_ns, value: None }, end)),
        LIVE => {
            let value_end = end.checked_add(value_size as usize)?;
            let value = Some(buffer.get(end..value_end)?);
            Some((Record { key, inserted_at_ns, value }, value_end))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buffer() -> Vec<u8> {
        let mut bytes = vec![0; 200];
        let live = Record { key: &Key([1; 16]), inserted_at_ns: -5, value: Some(&[7; 10]) };
        let historical = Record { key: &Key([2; 16]), inserted_at_ns: 9, value: None };
        let end = put_record(&mut bytes, HEADER_BYTES, &live).unwrap();
        let end = put_record(&mut bytes, end, &historical).unwrap();
        bytes.truncate(end);
        let info = BufferInfo {
            export_id: 77,
            number: 3,
            is_last: true,
            entries: 2,
            value_size: 10,
            present_ns: 11,
            window_ns: 100,
        };
        put_header(&mut bytes, &info);
        bytes
    }

    #[test]
    fn what_was_written_is_read() {
        let bytes = buffer();
        let info = check(&bytes).unwrap();
        assert_eq!((info.export_id, info.number, info.is_last, info.entries), (77, 3, true, 2));
        let (first, end) = record(&bytes, HEADER_BYTES, info.value_size).unwrap();
        assert_eq!((first.key, first.inserted_at_ns, first.value), (&Key([1; 16]), -5, Some(&[7; 10][..])));
        let (second, end) = record(&bytes, end, info.value_size).unwrap();
        assert_eq!((second.key, second.inserted_at_ns, second.value), (&Key([2; 16]), 9, None));
        assert_eq!(end, bytes.len());
    }

    #[test]
    fn every_changed_bit_is_found_out() {
        let bytes = buffer();
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(check(&changed).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn every_other_length_is_found_out() {
        let mut bytes = buffer();
        for len in 0..bytes.len() {
            let error = check(&bytes[..len]).unwrap_err();
            assert!(matches!(error, BadBuffer::Truncated { .. }), "{len} bytes: {error:?}");
        }
        bytes.push(0);
        assert!(matches!(check(&bytes), Err(BadBuffer::Trailing { .. })));
    }

    #[test]
    fn a_right_checksum_does_not_excuse_wrong_records() {
        let good = buffer();
        let state_at = HEADER_BYTES + 24;
        for (at, byte) in
            [(state_at, 2), (28, 3), (28, 1), (32, 11), (12, 65), (10, 3), (HEADER_BYTES + 23, 0x7f)]
        {
            let mut changed = good.clone();
            changed[at] = byte;
            put(&mut changed, CHECKSUM_AT, &[0; 4]);
            let checksum = crc32fast::hash(&changed);
            put(&mut changed, CHECKSUM_AT, &checksum.to_le_bytes());
            assert!(matches!(check(&changed), Err(BadBuffer::Malformed { .. })), "byte {at}");
        }
    }
}

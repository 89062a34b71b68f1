//! Buffers of an export, written and read by hand from the description in `docs/history.md`, not by the library.

use queuecore::history::Key;

/// An entry of a buffer: `value` is none for a historical one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transferred {
    pub key: Key,
    pub inserted_at_ns: i64,
    pub value: Option<Vec<u8>>,
}

const HEADER_BYTES: usize = 64;

/// What stands at the beginning of a buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub export_id: u64,
    pub number: u32,
    pub is_last: bool,
    pub present_ns: i64,
    pub window_ns: i64,
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
        crc
    })
}

/// The only buffer of an export of these entries.
pub fn buffer_of(records: &[Transferred], value_size: usize) -> Vec<u8> {
    let header = Header { export_id: 9, number: 0, is_last: true, present_ns: 0, window_ns: 0 };
    buffer_with(&header, records, value_size)
}

pub fn buffer_with(header: &Header, records: &[Transferred], value_size: usize) -> Vec<u8> {
    let mut payload = Vec::new();
    for record in records {
        payload.extend(record.key.0);
        payload.extend(record.inserted_at_ns.to_le_bytes());
        payload.push(u8::from(record.value.is_some()));
        payload.extend(record.value.iter().flatten());
    }
    let mut buffer = vec![0x89, b'Q', b'C', b'H', 0x0d, 0x0a, 0x1a, 0x0a];
    buffer.extend(1_u16.to_le_bytes());
    buffer.extend(u16::from(header.is_last).to_le_bytes());
    buffer.extend((HEADER_BYTES as u32).to_le_bytes());
    buffer.extend(header.export_id.to_le_bytes());
    buffer.extend(header.number.to_le_bytes());
    buffer.extend((records.len() as u32).to_le_bytes());
    buffer.extend((value_size as u32).to_le_bytes());
    buffer.extend(0_u32.to_le_bytes());
    buffer.extend((payload.len() as u64).to_le_bytes());
    buffer.extend(header.present_ns.to_le_bytes());
    buffer.extend(header.window_ns.to_le_bytes());
    assert_eq!(buffer.len(), HEADER_BYTES);
    buffer.extend(payload);
    let checksum = crc32(&buffer);
    buffer[36..40].copy_from_slice(&checksum.to_le_bytes());
    buffer
}

/// Reads a buffer, which has to be right.
pub fn read(buffer: &[u8], value_size: usize) -> (Header, Vec<Transferred>) {
    let number = |at: usize, len: usize| {
        let mut bytes = [0; 8];
        bytes[..len].copy_from_slice(&buffer[at..at + len]);
        u64::from_le_bytes(bytes)
    };
    assert_eq!(&buffer[..8], [0x89, b'Q', b'C', b'H', 0x0d, 0x0a, 0x1a, 0x0a]);
    assert_eq!((number(8, 2), number(12, 4), number(32, 4)), (1, HEADER_BYTES as u64, value_size as u64));
    assert_eq!(number(40, 8) as usize, buffer.len() - HEADER_BYTES);
    let mut without_checksum = buffer.to_vec();
    without_checksum[36..40].fill(0);
    assert_eq!(number(36, 4) as u32, crc32(&without_checksum));
    let header = Header {
        export_id: number(16, 8),
        number: number(24, 4) as u32,
        is_last: number(10, 2) == 1,
        present_ns: number(48, 8) as i64,
        window_ns: number(56, 8) as i64,
    };
    let mut records = Vec::new();
    let mut at = HEADER_BYTES;
    while at < buffer.len() {
        let key = Key(buffer[at..at + 16].try_into().expect("16 bytes"));
        let inserted_at_ns = number(at + 16, 8) as i64;
        let is_live = buffer[at + 24] == 1;
        at += 25;
        let value = is_live.then(|| buffer[at..at + value_size].to_vec());
        at += if is_live { value_size } else { 0 };
        records.push(Transferred { key, inserted_at_ns, value });
    }
    assert_eq!(number(28, 4) as usize, records.len());
    (header, records)
}

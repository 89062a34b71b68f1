//! Export: all entries, in the order of their inserts, into buffers that the host brings; one buffer a call.
//!
//! `format` has the layout of the buffers, `walk` the order, and what holds if other calls come in between.

use super::format::{self, BufferInfo, HEADER_BYTES, RECORD_BYTES, Record};
use super::walk::{Purpose, STEPS_PER_ITEM, Step};
use super::{Error, History};

/// What `export` wrote.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exported {
    /// Bytes of the buffer that are to be kept, from its beginning.
    pub bytes: usize,
    /// Entries in it.
    pub entries: u32,
    /// Whether another buffer follows.
    pub more: bool,
}

impl History {
    /// The smallest buffer that [`export`](Self::export) takes: a header and one live entry.
    pub fn min_export_bytes(&self) -> usize {
        HEADER_BYTES + RECORD_BYTES + self.value_size()
    }

    /// Begins an export; one that is under way ends. O(1).
    ///
    /// # Errors
    /// [`Error::NoMemory`]: nothing is changed.
    pub fn begin_export(&mut self) -> Result<(), Error> {
        self.begin_walk(Purpose::Export, super::hash::random())
    }

    /// Writes the next buffer of the export: as many entries as fit. It may hold fewer, or none, and the export go on
    /// all the same, because the call looks at no more than four records for each entry that would fit.
    ///
    /// Entries come in the order of their inserts, live ones with their value, historical ones whose window has ended
    /// are left out. Other calls may come in between, see [`next_items`](Self::next_items). The last buffer ends the
    /// export. O(bytes).
    ///
    /// # Errors
    /// [`Error::OutOfRange`] for a buffer shorter than [`min_export_bytes`](Self::min_export_bytes),
    /// [`Error::NoExport`] if none was begun, or the last buffer was written: nothing is changed.
    pub fn export(&mut self, buffer: &mut [u8]) -> Result<Exported, Error> {
        let min = self.min_export_bytes();
        if buffer.len() < min {
            let (value, min) = (buffer.len() as i128, min as i128);
            return Err(Error::OutOfRange {
                what: "the buffer's length",
                value,
                min,
                max: i128::from(i64::MAX),
            });
        }
        let walk = self.walk(Purpose::Export).filter(|walk| walk.is_under_way).ok_or(Error::NoExport)?;
        let (end, entries, more) = self.write_records(buffer);
        let info = BufferInfo {
            export_id: walk.id,
            number: walk.buffers,
            is_last: !more,
            entries,
            value_size: self.value_size() as u32,
            present_ns: self.present_ns().unwrap_or(0),
            window_ns: self.window_ns(),
        };
        if let Some(written) = buffer.get_mut(..end) {
            format::put_header(written, &info);
        }
        if let Some(mut walk) = self.walk(Purpose::Export) {
            walk.buffers += 1;
            self.set_walk(Purpose::Export, walk);
        }
        Ok(Exported { bytes: end, entries, more })
    }

    /// Fills a buffer behind the place of its header. Answers where the records end, how many they are, and whether
    /// there may be more.
    fn write_records(&mut self, buffer: &mut [u8]) -> (usize, u32, bool) {
        let value_size = self.value_size();
        let (mut end, mut entries) = (HEADER_BYTES, 0);
        let mut steps = (buffer.len() / RECORD_BYTES).saturating_mul(STEPS_PER_ITEM);
        while end + RECORD_BYTES + value_size <= buffer.len() && steps > 0 && entries < u32::MAX {
            steps -= 1;
            match self.step(Purpose::Export) {
                Step::At(item, slot) => {
                    let value = slot.map(|slot| self.value_of(slot));
                    let record = Record { key: &item.key, inserted_at_ns: item.inserted_at_ns, value };
                    end = format::put_record(buffer, end, &record).unwrap_or(end);
                    entries += 1;
                }
                Step::Nothing => {}
                Step::End => return (end, entries, false),
            }
        }
        (end, entries, true)
    }
}

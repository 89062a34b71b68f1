//! A host with an allocator and a hash that keep books and can be told to fail: return NULL, return a block that is
//! not aligned, panic, or run something.
#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::disallowed_types, reason = "the library's own door to locks is not open to tests")]

use queuecore::ffi::callbacks::qc_key;
use queuecore::ffi::history_options::qc_history_options;
use std::alloc::Layout;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::c_void;

/// Keeps the panics that a test orders out of its output.
pub fn hush() {
    static HUSH: std::sync::Once = std::sync::Once::new();
    HUSH.call_once(|| {
        let loud = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let ordered = info.payload_as_str().is_some_and(|text| text.ends_with("was told to panic"));
            if !ordered {
                loud(info);
            }
        }));
    });
}

/// What a callback does instead of its work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    ReturnNull,
    Misalign,
    Panic,
}

/// Which callback.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Callback {
    Alloc,
    Free,
    Hash,
}

#[derive(Default)]
pub struct Books {
    /// Blocks that are out: address, and their size and alignment as asked.
    pub blocks: HashMap<usize, (usize, usize)>,
    pub bytes: u64,
    pub peak: u64,
    pub allocations: u64,
    pub deallocations: u64,
    pub hashes: u64,
    /// Blocks that came back without being out, or with another size or alignment.
    pub wrong: u64,
    /// The fault of a callback, and after how many calls of that callback it strikes, once.
    pub fault: Option<(Callback, Fault, u64)>,
    /// What a callback runs before its work, once.
    pub intrusion: Option<(Callback, Box<dyn FnMut()>)>,
}

/// The host: the context of its callbacks. It must not move while a history has it.
#[derive(Default)]
pub struct Host(pub RefCell<Books>);

impl Host {
    /// Default options with this host's callbacks.
    pub fn options(&self, hash: bool) -> qc_history_options {
        let ctx = std::ptr::from_ref(self).cast_mut().cast();
        let mut options = super::support::defaults();
        options.alloc = Some(alloc);
        options.free = Some(free);
        options.alloc_ctx = ctx;
        if hash {
            options.hash = Some(self::hash);
            options.hash_ctx = ctx;
        }
        options
    }

    /// Lets a callback fail once, at its `after`th call from now, from 0.
    pub fn fail(&self, callback: Callback, fault: Fault, after: u64) {
        self.0.borrow_mut().fault = Some((callback, fault, after));
    }

    /// Lets a callback run something once, at its next call.
    pub fn intrude(&self, callback: Callback, run: impl FnMut() + 'static) {
        self.0.borrow_mut().intrusion = Some((callback, Box::new(run)));
    }

    /// Whether the fault has not struck yet.
    pub fn is_armed(&self) -> bool {
        self.0.borrow().fault.is_some()
    }

    /// The fault that strikes now.
    fn strike(&self, callback: Callback) -> Option<Fault> {
        let mut books = self.0.borrow_mut();
        let (wanted, fault, after) = books.fault?;
        if wanted != callback {
            return None;
        }
        books.fault = (after > 0).then(|| (wanted, fault, after - 1));
        (after == 0).then_some(fault)
    }

    fn begin(&self, callback: Callback) -> Option<Fault> {
        let intrusion = self.0.borrow_mut().intrusion.take();
        match intrusion {
            Some((wanted, mut run)) if wanted == callback => run(),
            other => self.0.borrow_mut().intrusion = other,
        }
        let fault = self.strike(callback);
        if fault == Some(Fault::Panic) {
            panic!("{callback:?} was told to panic");
        }
        fault
    }
}

unsafe extern "C-unwind" fn alloc(ctx: *mut c_void, size: usize, align: usize) -> *mut c_void {
    // SAFETY: the context is the host, which outlives the history.
    let host = unsafe { &*ctx.cast::<Host>() };
    let fault = host.begin(Callback::Alloc);
    if fault == Some(Fault::ReturnNull) {
        return std::ptr::null_mut();
    }
    // One alignment more than asked, so that one byte further is surely not aligned.
    let layout = Layout::from_size_align(size + align, align).unwrap();
    // SAFETY: the size is not 0.
    let block = unsafe { std::alloc::alloc(layout) };
    let shift = usize::from(fault == Some(Fault::Misalign));
    let mut books = host.0.borrow_mut();
    books.allocations += 1;
    books.bytes += size as u64;
    books.peak = books.peak.max(books.bytes);
    books.blocks.insert(block.addr() + shift, (size, align));
    block.wrapping_add(shift).cast()
}

unsafe extern "C-unwind" fn free(ctx: *mut c_void, ptr: *mut c_void, size: usize, align: usize) {
    // SAFETY: the context is the host, which outlives the history.
    let host = unsafe { &*ctx.cast::<Host>() };
    host.begin(Callback::Free);
    let mut books = host.0.borrow_mut();
    if books.blocks.remove(&ptr.addr()) != Some((size, align)) {
        books.wrong += 1;
        return;
    }
    books.deallocations += 1;
    books.bytes -= size as u64;
    let block = ptr.cast::<u8>().wrapping_sub(ptr.addr() & (align - 1));
    // SAFETY: `alloc` got it with this layout, and the books say that it is out.
    unsafe { std::alloc::dealloc(block, Layout::from_size_align(size + align, align).unwrap()) };
}

unsafe extern "C-unwind" fn hash(ctx: *mut c_void, key: *const qc_key) -> u64 {
    // SAFETY: the context is the host, which outlives the history; the key is good during the call.
    let (host, key) = unsafe { (&*ctx.cast::<Host>(), *key) };
    host.begin(Callback::Hash);
    host.0.borrow_mut().hashes += 1;
    key.bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

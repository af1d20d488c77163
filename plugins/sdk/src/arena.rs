//! Memory of an instance that lives for one attempt: handed out from an arena that is there from the start, and never
//! taken back. To ask the host for more memory costs more than most plugins do in all; only who needs more than the
//! arena holds pays for it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;

const SIZE: usize = 256 << 10;

struct Arena {
    bytes: UnsafeCell<[u8; SIZE]>,
    used: UnsafeCell<usize>,
}

// SAFETY: a plugin has one thread.
unsafe impl Sync for Arena {}

#[global_allocator]
static ARENA: Arena = Arena {
    bytes: UnsafeCell::new([0; SIZE]),
    used: UnsafeCell::new(0),
};

impl Arena {
    fn start(&self) -> usize {
        self.bytes.get() as usize
    }

    fn holds(&self, at: *mut u8) -> bool {
        (self.start()..self.start() + SIZE).contains(&(at as usize))
    }
}

// SAFETY: what is handed out lies within `bytes`, is aligned, and overlaps with nothing else: `used` only grows, but for
// the last piece, which alone may change its size in place.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: there is one thread, and no reference to `used` outlives this function.
        let used = unsafe { &mut *self.used.get() };
        let at = (self.start() + *used).next_multiple_of(layout.align());
        let end = at - self.start() + layout.size();
        if end > SIZE {
            // SAFETY: as the caller promises.
            return unsafe { System.alloc(layout) };
        }
        *used = end;
        at as *mut u8
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !self.holds(at) {
            // SAFETY: it came from there.
            unsafe { System.dealloc(at, layout) };
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.holds(at) {
            // SAFETY: it came from there.
            return unsafe { System.realloc(at, layout, size) };
        }
        {
            // SAFETY: as in `alloc`.
            let used = unsafe { &mut *self.used.get() };
            let offset = at as usize - self.start();
            if offset + layout.size() == *used && offset + size <= SIZE {
                *used = offset + size;
                return at;
            }
        }
        if size <= layout.size() {
            return at;
        }
        // SAFETY: the size is not zero, as the caller promises, and both pieces are at least as long as what is copied.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(at, new, layout.size());
            }
            new
        }
    }
}

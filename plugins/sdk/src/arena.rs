//! Arena allocator for an instance that lives for one attempt. The arena exists from the start and
//! is never freed, because asking the host for more memory costs more than all the work of most
//! plugins. Only plugins that need more than the arena pay for it.

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

// SAFETY: each block lies within `bytes`, is aligned, and does not overlap with another: `used` only grows,
// except that the last block may be resized in place.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: there is one thread, and no reference to `used` outlives this function.
        let used = unsafe { &mut *self.used.get() };
        let at = (self.start() + *used).next_multiple_of(layout.align());
        let end = at - self.start() + layout.size();
        if end > SIZE {
            // SAFETY: the caller upholds the contract of `alloc`.
            return unsafe { System.alloc(layout) };
        }
        *used = end;
        at as *mut u8
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if !self.holds(at) {
            // SAFETY: the block was allocated by `System`.
            unsafe { System.dealloc(at, layout) };
        }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !self.holds(at) {
            // SAFETY: the block was allocated by `System`.
            return unsafe { System.realloc(at, layout, size) };
        }
        {
            // SAFETY: same as in `alloc`.
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
        // SAFETY: by contract the size is not zero, and both blocks are at least as long as the copied range.
        unsafe {
            let new = self.alloc(Layout::from_size_align_unchecked(size, layout.align()));
            if !new.is_null() {
                std::ptr::copy_nonoverlapping(at, new, layout.size());
            }
            new
        }
    }
}

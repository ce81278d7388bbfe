//! Files and folders that are being made. A run that is stopped removes them all. After that it can neither add nor
//! finish one.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// One list for the process, because the thread that makes them is abandoned when the run is stopped.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file or folder that is made under a temporary name and renamed when it is complete.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Notes what is being made at `path`.
    pub fn at(path: &Path) -> Self {
        list().push(path.to_owned());
        Self { path: path.to_owned() }
    }

    /// Moves it to its place; the run cannot be ended meanwhile.
    pub fn finish<T>(self, place: impl FnOnce() -> T) -> T {
        let held = list();
        let placed = place();
        drop(held);
        placed
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        list().retain(|path| *path != self.path);
    }
}

fn list() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes everything that is being made, before the process ends. A thread that would finish something afterwards waits for ever.
pub fn remove_unfinished() {
    let held = list();
    for path in held.iter() {
        // Another thread may add a file to a folder while it is removed.
        for _ in 0..20 {
            let removed = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
            if removed.is_ok() || !path.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }
    std::mem::forget(held);
}

//! Reads records on some threads and folds their batches into one state per thread.
//!
//! Each thread reads the parts it takes. Where a source has fewer parts than there are threads, the threads without a
//! part work on batches that the others read.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use outward_spec::{Error, Result};

use crate::records::Records;

/// Batches that may wait between a reading and a counting thread.
const MAX_WAITING_BATCHES: usize = 4;

/// Folds every batch of the records into states made by `new`, in no particular order, and returns them. The first failure
/// ends all threads.
pub(crate) fn fold<S: Send>(
    records: &Records,
    threads: usize,
    new: impl Fn() -> Result<S> + Sync,
    observe: impl Fn(&mut S, &RecordBatch) -> Result<()> + Sync,
) -> Result<Vec<S>> {
    let parts = records.parts();
    let next = AtomicUsize::new(0);
    let failure = Failure::default();
    let read_parts = |take: &mut dyn FnMut(RecordBatch) -> Result<()>| -> Result<()> {
        while !failure.happened() {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                break;
            }
            failure.note(records.for_each_batch(part, &mut |batch| match failure.happened() {
                true => Err(Error::Stopped),
                false => take(batch),
            }));
        }
        Ok(())
    };
    let readers = threads.clamp(1, parts.max(1));
    let spare = threads.max(1) - readers;
    let (sender, receiver) = sync_channel::<RecordBatch>(MAX_WAITING_BATCHES);
    // Only the counting threads hold the receiver: if all of them are gone, sending fails instead of waiting for ever.
    let receiver = Arc::new(Mutex::new(receiver));
    let count_own = || -> Option<S> {
        let mut state = failure.note(new())?;
        failure.note(read_parts(&mut |batch| observe(&mut state, &batch)))?;
        Some(state)
    };
    let count_received = |receiver: Arc<Mutex<Receiver<RecordBatch>>>| -> Option<S> {
        let mut state = failure.note(new());
        // After a failure the channel is still emptied, so that no reader waits for ever.
        while let Some(batch) = take_next(&receiver) {
            state = state.and_then(|mut state| failure.note(observe(&mut state, &batch)).map(|()| state));
        }
        state
    };
    let states = std::thread::scope(|scope| {
        let counting: Vec<_> = if spare == 0 {
            (0..readers).map(|_| scope.spawn(count_own)).collect()
        } else {
            for _ in 0..readers {
                let sender = sender.clone();
                let (read_parts, failure) = (&read_parts, &failure);
                scope.spawn(move || failure.note(read_parts(&mut |batch| pass_on(&sender, batch))));
            }
            let count_received = &count_received;
            (0..spare)
                .map(|_| {
                    let receiver = receiver.clone();
                    scope.spawn(move || count_received(receiver))
                })
                .collect()
        };
        drop((sender, receiver));
        counting.into_iter().map(|thread| thread.join().map_err(died)).collect::<Result<Vec<Option<S>>>>()
    })?;
    failure.into_result()?;
    Ok(states.into_iter().flatten().collect())
}

/// The first thing that went wrong on any thread.
#[derive(Default)]
struct Failure {
    happened: AtomicBool,
    first: Mutex<Option<Error>>,
}

impl Failure {
    fn happened(&self) -> bool {
        self.happened.load(Ordering::Relaxed)
    }

    /// The value, or nothing if it is an error, which is kept if it is the first.
    fn note<T>(&self, result: Result<T>) -> Option<T> {
        result
            .map_err(|error| {
                if let Ok(mut first) = self.first.lock() {
                    first.get_or_insert(error);
                }
                self.happened.store(true, Ordering::Relaxed);
            })
            .ok()
    }

    fn into_result(self) -> Result<()> {
        match self.first.into_inner() {
            Ok(None) => Ok(()),
            Ok(Some(error)) => Err(error),
            Err(_) => Err(Error::bug("a working thread ended in a panic")),
        }
    }
}

fn pass_on(sender: &SyncSender<RecordBatch>, batch: RecordBatch) -> Result<()> {
    sender.send(batch).map_err(|_| Error::bug("a counting thread ended early"))
}

fn take_next(receiver: &Mutex<Receiver<RecordBatch>>) -> Option<RecordBatch> {
    receiver.lock().ok()?.recv().ok()
}

fn died(_: Box<dyn std::any::Any + Send>) -> Error {
    Error::bug("a working thread ended in a panic")
}

//! Runs a physical plan on some threads and folds its batches into one state per thread.
//!
//! Plans here are scans, filters and projections: nothing in them needs a runtime, so each thread drives the parts it
//! takes. Where a source has fewer parts than there are threads, those left over work on batches the others read.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use datafusion::execution::TaskContext;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties};
use futures::StreamExt;
use outward_spec::{Error, Result};

use crate::failure::while_reading;

/// Batches that may wait between a reading and a counting thread.
const WAITING: usize = 4;

/// Folds every batch of the plan into states made by `new`, in no particular order, and returns them.
pub(crate) fn fold<S: Send>(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
    threads: usize,
    new: impl Fn() -> Result<S> + Sync,
    observe: impl Fn(&mut S, &RecordBatch) -> Result<()> + Sync,
) -> Result<Vec<S>> {
    let parts = plan.output_partitioning().partition_count();
    let next = AtomicUsize::new(0);
    let read_parts = |take: &mut dyn FnMut(RecordBatch) -> Result<()>| -> Result<()> {
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= parts {
                return Ok(());
            }
            for_each_batch(plan, context, part, take)?;
        }
    };
    let readers = threads.clamp(1, parts.max(1));
    let spare = threads.max(1) - readers;
    let own_state = || -> Result<S> {
        let mut state = new()?;
        read_parts(&mut |batch| observe(&mut state, &batch))?;
        Ok(state)
    };
    if spare == 0 {
        return std::thread::scope(|scope| {
            let running: Vec<_> = (0..readers).map(|_| scope.spawn(own_state)).collect();
            running.into_iter().map(|thread| thread.join().map_err(died)?).collect()
        });
    }
    let (sender, receiver) = sync_channel::<RecordBatch>(WAITING);
    let receiver = Mutex::new(receiver);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..readers)
            .map(|_| {
                let sender = sender.clone();
                scope.spawn(move || read_parts(&mut |batch| pass_on(&sender, batch)))
            })
            .collect();
        drop(sender);
        let workers: Vec<_> = (0..spare)
            .map(|_| {
                scope.spawn(|| -> Result<S> {
                    let mut state = new()?;
                    let mut failed = Ok(());
                    // After a failure the channel is still emptied, so that no reader waits for ever.
                    while let Some(batch) = take_next(&receiver) {
                        if failed.is_ok() {
                            failed = observe(&mut state, &batch);
                        }
                    }
                    failed.map(|()| state)
                })
            })
            .collect();
        let states = workers.into_iter().map(|thread| thread.join().map_err(died)?).collect::<Result<Vec<S>>>();
        for reader in readers {
            reader.join().map_err(died)??;
        }
        states
    })
}

/// Reads one part of a plan on this thread.
pub(crate) fn for_each_batch(
    plan: &Arc<dyn ExecutionPlan>,
    context: &Arc<TaskContext>,
    part: usize,
    take: &mut dyn FnMut(RecordBatch) -> Result<()>,
) -> Result<()> {
    let mut stream = plan.execute(part, context.clone()).map_err(while_reading)?;
    while let Some(batch) = futures::executor::block_on(stream.next()) {
        take(batch.map_err(while_reading)?)?;
    }
    Ok(())
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

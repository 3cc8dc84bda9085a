//! Every request the fake was asked, in order.
//!
//! Responsible for: what came (route, headers, raw body, trespass), what was answered, and who hung up. Not for: judging
//! any of it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::watch;

use crate::route::Route;

/// How many entries a journal keeps unless told otherwise: more than any test asks, and a few megabytes of usual requests.
pub(crate) const DEFAULT_LIMIT: usize = 10_000;

/// One request, or bytes that should have been one.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its number: 0 for the daemon's first request, and so on without a gap.
    pub index: usize,
    /// When its head was complete.
    pub at: Instant,
    /// The method; empty where no head could be read.
    pub method: String,
    /// The request target with its query; empty where no head could be read.
    pub target: String,
    /// Headers in order, names as they came; bytes that are not UTF-8 are replaced.
    pub headers: Vec<(String, String)>,
    /// The whole body, its framing undone. Of malformed requests: whatever bytes came.
    pub body: Vec<u8>,
    /// Which connection it came on: 1 for the daemon's first, and so on.
    pub connection: u64,
    /// The route that its path names, whether or not the guards let it through.
    pub route: Option<Route>,
    /// Why the guards refuse it, if they do.
    pub trespass: Option<Trespass>,
    /// What was answered. Recorded before the first byte goes out: whoever has the answer finds it here.
    pub answered: Option<Answered>,
    /// When the caller was seen to be gone before the answer was out.
    pub hung_up_at: Option<Instant>,
}

impl Entry {
    /// The target without its query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The status of the answer, if one went out.
    pub fn status(&self) -> Option<u16> {
        self.answered.as_ref().map(|answered| answered.status)
    }
}

/// An answer that went out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered {
    /// When its first byte was about to be written.
    pub at: Instant,
    /// The status.
    pub status: u16,
    /// The bytes of the body that were to be written: of an answer that is cut short on purpose, only those.
    pub body: Vec<u8>,
}

/// Why the guards refuse a request. `GET /ping` and `GET /status` are documented and none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Trespass {
    /// None of the 14 paths.
    UnknownPath,
    /// A known path with a method that it does not take.
    WrongMethod,
    /// A `Host` that is not this daemon.
    WrongHost,
    /// An `Origin` that is not this daemon's own.
    ForeignOrigin,
    /// No `Authorization` at all.
    MissingToken,
    /// An `Authorization` that is not this daemon's bearer token.
    WrongToken,
    /// Bytes that are no HTTP request, or one that broke off.
    Malformed,
}

impl fmt::Display for Trespass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::UnknownPath => "unknown path",
            Self::WrongMethod => "wrong method",
            Self::WrongHost => "wrong host",
            Self::ForeignOrigin => "foreign origin",
            Self::MissingToken => "missing token",
            Self::WrongToken => "wrong token",
            Self::Malformed => "malformed",
        })
    }
}

/// Called once for each entry, when nothing more happens to it.
pub type Watcher = Arc<dyn Fn(&Entry) + Send + Sync>;

/// The journal of one daemon. Clones show the same entries.
#[derive(Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

struct Shared {
    /// Readers take the `Arc` and look at it outside the lock; a writer copies only while one still does.
    pages: Mutex<Arc<Pages>>,
    /// Moves with every change.
    changed: watch::Sender<u64>,
    limit: usize,
    watcher: Option<Watcher>,
}

#[derive(Clone, Default)]
struct Pages {
    /// How many entries were dropped to stay within the limit: the index of the first one held.
    dropped: usize,
    entries: Vec<Entry>,
}

impl Journal {
    /// An empty journal that keeps at least the newest `limit` entries.
    pub(crate) fn new(limit: usize, watcher: Option<Watcher>) -> Self {
        let shared = Shared { pages: Mutex::default(), changed: watch::Sender::new(0), limit: limit.max(1), watcher };
        Self { shared: Arc::new(shared) }
    }

    /// All entries held, oldest first.
    pub fn entries(&self) -> Vec<Entry> {
        self.snapshot().entries.clone()
    }

    /// How many requests came so far, with those that the limit dropped: `since(len())` shows what comes after.
    pub fn len(&self) -> usize {
        let pages = self.snapshot();
        pages.dropped + pages.entries.len()
    }

    /// Whether nothing was asked yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entries from this index on.
    pub fn since(&self, index: usize) -> Vec<Entry> {
        let pages = self.snapshot();
        let start = index.saturating_sub(pages.dropped).min(pages.entries.len());
        pages.entries[start..].to_vec()
    }

    /// The entries whose path names this route, refused or not.
    pub fn on(&self, route: Route) -> Vec<Entry> {
        self.select(|entry| entry.route == Some(route))
    }

    /// The entries that the guards refused, and the malformed ones.
    pub fn trespasses(&self) -> Vec<Entry> {
        self.select(|entry| entry.trespass.is_some())
    }

    /// Waits until the predicate holds for the entries held; `false` when the deadline came first. Looks at once and
    /// after each change, and never between.
    pub async fn wait_until(&self, deadline: Instant, mut predicate: impl FnMut(&[Entry]) -> bool) -> bool {
        let mut changed = self.shared.changed.subscribe();
        loop {
            changed.borrow_and_update();
            if predicate(&self.snapshot().entries) {
                return true;
            }
            match tokio::time::timeout_at(deadline.into(), changed.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) | Err(_) => return false,
            }
        }
    }

    /// Starts an entry; its index is given here.
    pub(crate) fn open(&self, mut entry: Entry) -> Page {
        let index = {
            let mut pages = self.lock();
            let pages = Arc::make_mut(&mut pages);
            // A tenth at a time: dropping one by one would move the whole vector for each request.
            let slack = self.shared.limit.div_ceil(10);
            if pages.entries.len() >= self.shared.limit + slack {
                pages.entries.drain(..slack);
                pages.dropped += slack;
            }
            entry.index = pages.dropped + pages.entries.len();
            pages.entries.push(entry);
            pages.dropped + pages.entries.len() - 1
        };
        self.announce();
        Page { journal: self.clone(), index }
    }

    fn select(&self, wanted: impl Fn(&Entry) -> bool) -> Vec<Entry> {
        self.snapshot().entries.iter().filter(|entry| wanted(entry)).cloned().collect()
    }

    fn snapshot(&self) -> Arc<Pages> {
        Arc::clone(&self.lock())
    }

    fn change(&self, index: usize, change: impl FnOnce(&mut Entry)) {
        {
            let mut pages = self.lock();
            let pages = Arc::make_mut(&mut pages);
            let Some(entry) = index.checked_sub(pages.dropped).and_then(|at| pages.entries.get_mut(at)) else {
                return;
            };
            change(entry);
        }
        self.announce();
    }

    fn announce(&self) {
        self.shared.changed.send_modify(|changes| *changes += 1);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Pages>> {
        self.shared.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// An entry that is still being served. Dropping it ends the entry, however that came about.
pub(crate) struct Page {
    journal: Journal,
    index: usize,
}

impl Page {
    /// Notes the answer that is about to go out.
    pub(crate) fn answered(&self, status: u16, body: &[u8]) {
        let answered = Answered { at: Instant::now(), status, body: body.to_vec() };
        self.journal.change(self.index, |entry| entry.answered = Some(answered));
    }

    /// Notes that the caller is gone.
    pub(crate) fn hung_up(&self) {
        let now = Instant::now();
        self.journal.change(self.index, |entry| {
            entry.hung_up_at.get_or_insert(now);
        });
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let Some(watcher) = &self.journal.shared.watcher else {
            return;
        };
        // Only the entry: who holds all of them makes the next request copy them.
        let entry = {
            let pages = self.journal.lock();
            self.index.checked_sub(pages.dropped).and_then(|at| pages.entries.get(at)).cloned()
        };
        if let Some(entry) = entry {
            watcher(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(target: &str) -> Entry {
        Entry {
            index: 0,
            at: Instant::now(),
            method: "POST".into(),
            target: target.into(),
            headers: Vec::new(),
            body: Vec::new(),
            connection: 1,
            route: Route::from_path(target),
            trespass: None,
            answered: None,
            hung_up_at: None,
        }
    }

    #[test]
    fn old_entries_go_and_indices_stay() {
        let journal = Journal::new(20, None);
        for _ in 0..1_000 {
            journal.open(entry("/status"));
        }
        let held = journal.entries();
        assert_eq!(journal.len(), 1_000);
        assert!((20..=22).contains(&held.len()), "{}", held.len());
        assert_eq!(held.last().map(|entry| entry.index), Some(999));
        assert_eq!(journal.since(998).len(), 2);
        assert_eq!(journal.since(0).len(), held.len());
        assert!(journal.since(1_000).is_empty() && journal.since(5_000).is_empty());
    }

    #[test]
    fn a_page_of_a_dropped_entry_changes_nothing() {
        let journal = Journal::new(1, None);
        let first = journal.open(entry("/status"));
        for _ in 0..10 {
            journal.open(entry("/balance"));
        }
        first.answered(200, b"{}");
        assert!(journal.entries().iter().all(|entry| entry.answered.is_none()));
    }

    #[test]
    fn the_watcher_sees_each_entry_once_when_it_is_over() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let watcher: Watcher = {
            let seen = Arc::clone(&seen);
            Arc::new(move |entry: &Entry| {
                seen.lock().expect("unpoisoned").push((entry.index, entry.status()));
            })
        };
        let journal = Journal::new(9, Some(watcher));
        let first = journal.open(entry("/status"));
        drop(journal.open(entry("/balance")));
        first.answered(200, b"{}");
        drop(first);
        assert_eq!(*seen.lock().expect("unpoisoned"), [(1, None), (0, Some(200))]);
    }

    #[tokio::test]
    async fn a_predicate_may_ask_the_journal_itself() {
        let journal = Journal::new(9, None);
        journal.open(entry("/status"));
        let same = journal.clone();
        assert!(journal.wait_until(Instant::now(), |entries| entries.len() == same.len()).await);
        assert!(!journal.wait_until(Instant::now(), |entries| entries.len() > 1).await);
    }
}

//! The node's evidence: an append-only chain of signed records.
//!
//! Responsible for: linking each record to the one before by a real hash, and reading with a filter. Not for: when a record
//! is due (`life`, `pay`). Serves control-plane 2.12 and 8.3.

use crate::encode;
use crate::ids;
use crate::json::{Json, Members};

/// One record.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its place, from 0.
    pub seq: u64,
    /// Its CID: a hash over everything but the signature.
    pub id: String,
    /// The CID of the record before it, or empty.
    pub prev_id: String,
    /// What happened.
    pub event_type: String,
    /// When, in Unix milliseconds.
    pub timestamp: i64,
    /// What belongs to it; may be an empty object.
    pub payload: Json,
    /// The signature.
    pub sig: String,
}

/// The chain.
#[derive(Clone, Debug)]
pub struct Chain {
    owner: String,
    records: Vec<Record>,
    /// A fork was found: nothing on the chain is reliable.
    pub quarantined: bool,
}

impl Chain {
    /// An empty chain of a node.
    pub fn new(owner: &str) -> Self {
        Self { owner: owner.to_owned(), records: Vec::new(), quarantined: false }
    }

    /// The records, oldest first.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Appends a record.
    pub fn append(&mut self, timestamp: i64, event_type: &str, payload: Json) {
        let seq = self.records.len() as u64;
        let prev_id = self.records.last().map_or_else(String::new, |record| record.id.clone());
        let payload = payload.sorted();
        let preimage = preimage(&self.owner, seq, &prev_id, event_type, timestamp, &payload);
        self.records.push(Record {
            seq,
            id: ids::cid(&preimage),
            prev_id,
            event_type: event_type.to_owned(),
            timestamp,
            payload,
            sig: ids::signature(&preimage),
        });
    }

    /// Whether every record is what its id says and points to the one before it.
    pub fn holds(&self) -> bool {
        let mut before = "";
        self.records.iter().enumerate().all(|(index, record)| {
            let preimage = preimage(
                &self.owner,
                record.seq,
                &record.prev_id,
                &record.event_type,
                record.timestamp,
                &record.payload,
            );
            let good = record.seq == index as u64
                && record.prev_id == before
                && record.id == ids::cid(&preimage)
                && record.sig == ids::signature(&preimage);
            before = &record.id;
            good
        })
    }

    /// The answer of `/evidence`: filters first, then the newest `limit`.
    pub fn answer(&self, event_type: &str, since: u64, limit: usize) -> Json {
        let mut kept: Vec<&Record> = self
            .records
            .iter()
            .rev()
            .filter(|record| record.seq >= since && (event_type.is_empty() || record.event_type == event_type))
            .take(limit)
            .collect();
        kept.reverse();
        let head = Members::new()
            .put("chain_did", format!("did:anet:{}", self.owner))
            .put("head_id", self.records.last().map_or("", |record| record.id.as_str()))
            .put("length", self.records.len())
            .put("state", if self.quarantined { "QUARANTINED" } else { "ACTIVE" })
            .done();
        let records: Vec<Json> = kept.into_iter().map(|record| self.record_json(record)).collect();
        Members::new().put("head", head).put("records", records).done()
    }

    fn record_json(&self, record: &Record) -> Json {
        let payload = (record.payload != Json::Object(Vec::new())).then(|| record.payload.clone());
        Members::new()
            .put("event_type", &record.event_type)
            .put("id", &record.id)
            .maybe("payload", payload)
            .put("prev_id", &record.prev_id)
            .put("seq", record.seq)
            .put("sig", &record.sig)
            .put("signer_aid", &self.owner)
            .put("timestamp", record.timestamp)
            .done()
    }
}

fn preimage(owner: &str, seq: u64, prev_id: &str, event_type: &str, timestamp: i64, payload: &Json) -> String {
    encode::compact(
        &Members::new()
            .put("event_type", event_type)
            .put("payload", payload.clone())
            .put("prev_id", prev_id)
            .put("seq", seq)
            .put("signer_aid", owner)
            .put("timestamp", timestamp)
            .done(),
    )
}

#[cfg(test)]
mod tests {
    use super::Chain;
    use crate::json::Json;

    fn chain() -> Chain {
        let mut chain = Chain::new("me");
        for index in 0..60_i64 {
            let kind = if index % 2 == 0 { "anet.message.sent" } else { "anet.message.received" };
            chain.append(index, kind, Json::object([("n", index.into())]));
        }
        chain
    }

    #[test]
    fn records_link_and_tampering_shows() {
        let mut chain = chain();
        assert!(chain.holds());
        chain.records[7].timestamp += 1;
        assert!(!chain.holds());
    }

    #[test]
    fn filters_come_before_the_limit() {
        let answer = chain().answer("anet.message.sent", 10, 3);
        let records = answer.member("records").and_then(Json::as_array).unwrap();
        let seqs: Vec<_> = records.iter().map(|record| record.member("seq").and_then(Json::as_i64).unwrap()).collect();
        assert_eq!(seqs, [54, 56, 58]);
        assert_eq!(answer.member("head").unwrap().member("length").and_then(Json::as_i64), Some(60));
    }

    #[test]
    fn an_empty_chain_has_an_empty_head() {
        let answer = Chain::new("me").answer("", 0, 50);
        assert_eq!(
            crate::encode::compact(&answer),
            r#"{"head":{"chain_did":"did:anet:me","head_id":"","length":0,"state":"ACTIVE"},"records":[]}"#
        );
    }
}

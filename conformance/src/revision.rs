//! The dated revisions of the Model Context Protocol.
//!
//! Responsible for: their names, order, and what changed between them as far as a tools-only stdio server can see it.

use std::fmt;
use std::str::FromStr;

/// A dated MCP revision, oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26: batches, annotations
    V2025_03_26,
    /// 2025-06-18: structured content, titles; batches gone
    V2025_06_18,
    /// 2025-11-25: bad arguments are tool errors
    V2025_11_25,
    /// 2026-07-28: no handshake, metadata on each request
    V2026_07_28,
}

impl Revision {
    /// All, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// Those that begin with `initialize`.
    pub const LEGACY: [Self; 4] = [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25];

    /// The date that stands on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether every request carries its own metadata and there is no handshake.
    pub fn is_modern(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// What a modern client says in `_meta` of each request: members as JSON text, without the braces.
    pub fn request_metadata(self) -> String {
        format!(
            concat!(
                r#""io.modelcontextprotocol/protocolVersion":"{}","io.modelcontextprotocol/clientCapabilities":{{}},"#,
                r#""io.modelcontextprotocol/clientInfo":{{"name":"anet-conformance","version":"{}"}}"#
            ),
            self,
            env!("CARGO_PKG_VERSION")
        )
    }

    /// Whether a tool result has `structuredContent`.
    pub fn has_structured_content(self) -> bool {
        self >= Self::V2025_06_18
    }

    /// Whether tools carry annotations.
    pub fn has_annotations(self) -> bool {
        self >= Self::V2025_03_26
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Revision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.name() == text)
            .ok_or_else(|| format!("unknown MCP revision `{text}`; known are {}", Self::ALL.map(Self::name).join(", ")))
    }
}
